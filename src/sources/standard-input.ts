/** The name of the input that `-` stands for. */
export const STANDARD_INPUT = 'standard input';
