/** Adds two amounts in USD, rounded to a millionth of a cent to drop floating-point noise. */
export const addUsd = (a: number, b: number): number => Number((a + b).toFixed(8));
