/** The sum of two amounts in USD, to a millionth of a cent: what binary fractions add below that is noise. */
export const addUsd = (a: number, b: number): number => Number((a + b).toFixed(8));
