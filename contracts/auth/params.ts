import { ROLES } from '../../lib/roles';

export const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/;

/** An e-mail address, in the form in which it is stored. */
export const email = { type: 'email', normalize: true, mode: 'precise', max: 254 } as const;

/** A password that a user chooses (NIST SP 800-63B 5.1.1.2: length is what counts). */
export const newPassword = { type: 'string', min: 8, max: 200 } as const;

/** A name as people type it at a login. */
export const loginText = (max: number) => ({ type: 'string', trim: true, lowercase: true, min: 1, max }) as const;

/** A password or token that is only compared, within bounds of what is worth comparing. */
export const secretText = { type: 'string', min: 1, max: 1_000 } as const;

/** Where the request came from, as the gateway tells. */
export const address = { type: 'string', max: 100, optional: true } as const;

/** The `User-Agent` of the request, as the gateway tells. */
export const userAgent = { type: 'string', max: 1_000, optional: true } as const;

export const flag = { type: 'boolean', optional: true } as const;

export const maybe = { optional: true, nullable: true } as const;

export const text = (max: number) => ({ type: 'string', min: 1, max, trim: true }) as const;

/** Owners are made by owners, never by a provider. */
export const role = { type: 'enum', values: ['viewer', 'member', 'admin'] } as const;

export const mapping = {
  type: 'object',
  ...maybe,
  props: {
    claim: text(300),
    values: { type: 'record', key: { type: 'string', min: 1, max: 500 }, value: role },
  },
} as const;

export const originParam = { type: 'string', max: 300, ...maybe } as const;

export const slugParam = { type: 'string', trim: true, lowercase: true, min: 1, max: 200 } as const;

const texts = (max: number) => ({ type: 'record', key: 'string', value: { type: 'string', max } }) as const;

/** What a browser brings; SAML messages are large, everything else is small. */
export const visit = {
  fields: texts(400_000),
  cookies: texts(8_192),
  origin: originParam,
  user_agent: userAgent,
} as const;

export const teamRole = { type: 'enum', values: [...ROLES] } as const;

export const identifierText = (max: number) => ({ type: 'string', min: 1, max }) as const;
