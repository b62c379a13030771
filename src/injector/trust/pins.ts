import type { Era } from '../../servers/server-state.js';

/** One text that was approved. */
export interface PinnedText {
  /** The id of the server that said it, as the host calls it; `''` where that is not known. */
  readonly server: string;
  /** The handshake that gave it; `null` where there is no such thing or it is not known. */
  readonly era: Era | null;
  /** Of the text as received, in 64 hex digits. */
  readonly sha256: string;
  /** The text itself, where it was kept. Untrusted. */
  readonly text: string | undefined;
}

/**
 * Approved texts by the identity of what says them. Mostly there is one. There are more where a server says another thing in each
 * handshake, and where several servers are reached in the same way but for the values of their variables.
 */
export type Pins = ReadonlyMap<string, readonly PinnedText[]>;

/** Whose text it is that someone asks about. */
export interface Speaker {
  readonly id: string;
  /** What pins know the server by. */
  readonly identity: string;
  readonly era: Era | null;
  /** Ids of the other servers that there are now. Who is not among them and not this one was given another id. */
  readonly others: readonly string[];
}

/**
 * Where an id has entries of its own, only those count for it, of either handshake: else a server could go back to a text that another
 * one replaced. An id without any counts with all of the identity, as a server that was given another id stays the same server.
 *
 * @returns whether exactly this text was approved
 */
export function isApproved(pins: Pins, { id, identity }: Speaker, sha256: string): boolean {
  const all = pins.get(identity) ?? [];
  const own = all.filter((text) => text.server === id);
  return (own.length > 0 ? own : all).some((text) => text.sha256 === sha256);
}

/** @returns the approved text to compare with; `undefined` when nothing of this server was approved */
export function approvedFor(pins: Pins, speaker: Speaker): PinnedText | undefined {
  const { id, era } = speaker;
  const own = (pins.get(speaker.identity) ?? []).filter((text) => !isOfAnother(text, speaker));
  return (
    own.find((text) => text.server === id && text.era === era) ??
    own.find((text) => text.server === id) ??
    own.find((text) => text.era === era) ??
    own[0]
  );
}

/**
 * Approves a text. It takes the place of what the server said before in the same handshake; a text of the other handshake stays
 * approved. Where a handshake is not known, everything of the server is replaced: no old text stays approved by accident.
 *
 * @returns new pins; the old ones are not changed
 */
export function approve(
  pins: Pins,
  speaker: Speaker,
  { sha256, text }: Pick<PinnedText, 'sha256' | 'text'>,
): Pins {
  const { id, identity, era } = speaker;
  const all = pins.get(identity) ?? [];
  const ofOthers = all.filter((old) => isOfAnother(old, speaker));
  const earlier = all.filter(
    (old) => !isOfAnother(old, speaker) && old.era !== null && era !== null && old.era !== era,
  );
  const other = earlier.find((old) => old.server === id) ?? earlier[0];
  // Under the id of now, since only its own entries will count.
  const stays = other === undefined ? [] : [{ ...other, server: id }];
  return new Map([...pins, [identity, [...ofOthers, ...stays, { server: id, era, sha256, text }]]]);
}

function isOfAnother({ server }: PinnedText, { id, others }: Speaker): boolean {
  return server !== id && others.includes(server);
}
