/** What the exit code of the command line says. */
export const exitCodes = {
  /** All is well. */
  ok: 0,
  /** A server did not connect; of the demo: what it shows did not come out. */
  failed: 1,
  /** Wrong arguments, a configuration that cannot be used, or a missing package. */
  usage: 2,
  /** Under `--require-instructions`: a server has nothing to show to a model. */
  noInstructions: 3,
  /** Of `approve`: a text is not approved. */
  notApproved: 4,
} as const;
