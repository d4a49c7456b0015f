/** Matches characters without a width. Some of them change the direction of the text around them. */
export const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
