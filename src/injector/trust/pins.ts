import type { Era } from '../../servers/server-state.js';

/** One text that was approved. */
export interface PinnedText {
  /** Of the text as received, in 64 hex digits. */
  readonly sha256: string;
  /** The handshake that gave it; `null` where there is no such thing or it is not known. */
  readonly era: Era | null;
  /** The text itself, where it was kept. Untrusted. */
  readonly text: string | undefined;
}

/** What was approved of one server: a server that speaks both handshakes may say two things. */
export interface Pin {
  /** What the server is known by; see `configurationIdentity`. */
  readonly identity: string;
  /** The id under which it was approved last, for people who read the file. Decides nothing. */
  readonly server: string;
  /** One for each handshake at most. */
  readonly texts: readonly PinnedText[];
}

/** Pins by identity. */
export type Pins = ReadonlyMap<string, Pin>;

/** @returns whether exactly this text was approved, whichever handshake it came with */
export function isApproved(pin: Pin | undefined, sha256: string): boolean {
  return pin?.texts.some((text) => text.sha256 === sha256) ?? false;
}

/**
 * @param pin what was approved of a server
 * @param era the handshake of the text at hand
 * @returns the approved text to compare with
 */
export function approvedFor(pin: Pin | undefined, era: Era | null): PinnedText | undefined {
  const texts = pin?.texts ?? [];
  return texts.find((text) => text.era === era) ?? texts.find((text) => text.era === null) ?? texts[0];
}

/**
 * Approves a text. It takes the place of what the same handshake said before; a text of the other handshake stays approved. What is
 * approved without a handshake, or was, replaces everything: an old text must not stay approved by accident.
 *
 * @returns new pins; the old ones are not changed
 */
export function approve(pins: Pins, identity: string, server: string, text: PinnedText): Pins {
  const others = (pins.get(identity)?.texts ?? []).filter(
    ({ era, sha256 }) => sha256 !== text.sha256 && era !== null && text.era !== null && era !== text.era,
  );
  return new Map([...pins, [identity, { identity, server, texts: [...others, text] }]]);
}
