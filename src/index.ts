export { InstructionsError, type InstructionsErrorCode } from './errors.js';
