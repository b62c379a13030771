/* oxlint-disable typescript/no-unnecessary-type-parameters -- comparing two types is all that these are for */

/** Compiles with `true` only when both are the same type, `readonly` and optional marks included. Compiled, never run. */
export declare function same<One, Other>(
  is: (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false,
): void;

/** Compiles only when a type has all of these members. Compiled, never run. */
export declare function has<Type, Member extends keyof Type>(): Member;
