/** Keys from the environment; null where `keys.json` in DATA_DIR is used. */
export interface KeyTexts {
  readonly master: string | null;
  readonly jwtSecret: string | null;
  readonly jwtPrivateKey: string | null;
  readonly principal: string | null;
  /** Keys that are still accepted, but no longer used to sign or encrypt. */
  readonly previous: {
    readonly master: readonly string[];
    readonly jwt: readonly string[];
    readonly principal: readonly string[];
  };
}

/** Reads the keys of an environment. Adds faults to the list, without key material. */
export function readKeys(text: (name: string) => string | null, faults: string[]): KeyTexts {
  const keys = {
    master: text('MASTER_KEY'),
    jwtSecret: text('JWT_SECRET'),
    jwtPrivateKey: text('JWT_PRIVATE_KEY'),
    principal: text('PRINCIPAL_KEY'),
    previous: {
      master: listed(text('MASTER_KEY_PREVIOUS')),
      jwt: listed(text('JWT_PREVIOUS')),
      principal: listed(text('PRINCIPAL_KEY_PREVIOUS')),
    },
  };
  if (keys.jwtSecret !== null && keys.jwtPrivateKey !== null) {
    faults.push('JWT_SECRET and JWT_PRIVATE_KEY are both set; keep one of them, and the other in JWT_PREVIOUS');
  }
  return keys;
}

const listed = (value: string | null): string[] =>
  (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Names of keys that are not set, so that the process would generate its own. */
export const missingKeys = (keys: KeyTexts): string[] =>
  [
    keys.master === null && 'MASTER_KEY',
    keys.jwtSecret === null && keys.jwtPrivateKey === null && 'JWT_SECRET or JWT_PRIVATE_KEY',
    keys.principal === null && 'PRINCIPAL_KEY',
  ].filter((name) => name !== false);
