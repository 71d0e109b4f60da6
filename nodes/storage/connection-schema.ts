import type { JsonSchema } from '../contract';
import { objectSchema } from '../schema';

/** An authority that is trusted besides those that everybody trusts. */
const CA: JsonSchema = {
  type: 'string',
  title: 'CA certificate',
  description: 'Additional certificate authority to trust, in PEM format.',
  maxLength: 100_000,
};

/** A connection as its author writes it: a URL, a URL with an authority, or its parts, which are these and the host. */
export const connectionSchema = (
  description: string,
  parts: Readonly<Record<string, JsonSchema>>,
  examples: readonly unknown[],
): JsonSchema => ({
  title: 'Connection',
  description,
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 10_000 },
    objectSchema(
      {
        url: {
          type: 'string',
          title: 'URL',
          description: 'Connection URL with user, password and database.',
          minLength: 1,
          maxLength: 10_000,
        },
        ca: CA,
      },
      ['url'],
    ),
    objectSchema(
      {
        host: {
          type: 'string',
          title: 'Host',
          description: 'Host name or IP address of the server.',
          minLength: 1,
          maxLength: 253,
        },
        port: {
          type: 'integer',
          title: 'Port',
          description: 'Default: that of the protocol.',
          minimum: 1,
          maximum: 65_535,
        },
        user: { type: 'string', title: 'User name', description: 'User name to log in with.', maxLength: 512 },
        password: {
          type: 'string',
          title: 'Password',
          description: 'Password, preferably from a secret.',
          maxLength: 10_000,
        },
        ...parts,
        ca: CA,
      },
      ['host'],
    ),
  ],
  examples,
});
