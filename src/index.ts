export { InstructionsError, type InstructionsErrorCode } from './errors.ts';
