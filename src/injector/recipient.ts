import { hearsAll, type Hears } from './audience.js';
import { SettledShares } from './settled-shares.js';

/** The conversation that servers are looked at for. */
export interface Recipient {
  readonly hears: Hears;
  readonly shares: () => SettledShares;
}

/** One that was told nothing yet and hears every server. */
export function newRecipient(): Recipient {
  const shares = new SettledShares();
  return { hears: hearsAll, shares: () => shares };
}
