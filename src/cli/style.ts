/** The few ways in which a word can stand out. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
