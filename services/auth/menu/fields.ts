/** An e-mail address, in the form in which it is stored. */
export const email = { type: 'email', normalize: true, mode: 'precise', max: 254 } as const;

/** A password that somebody chooses (NIST SP 800-63B 5.1.1.2: length is what counts). */
export const newPassword = { type: 'string', min: 8, max: 200 } as const;

/** A password or token that is only compared, within bounds of what is worth comparing. */
export const secretText = { type: 'string', min: 1, max: 1_000 } as const;

/** A name as people type it at a login. */
export const loginText = (max: number) => ({ type: 'string', trim: true, lowercase: true, min: 1, max }) as const;

/** Where the request came from, as the gateway tells. */
export const address = { type: 'string', max: 100, optional: true } as const;
