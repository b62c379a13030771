/** What something needs that is not there where this runs. The message is ours, and may be shown. */
export class NotHere extends Error {
  override readonly name = 'NotHere';
}
