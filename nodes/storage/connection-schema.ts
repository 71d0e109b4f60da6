import type { JsonSchema } from '../contract';
import { objectSchema } from '../schema';

/** An authority that is trusted besides those that everybody trusts. */
const CA: JsonSchema = {
  type: 'string',
  title: 'Certificate authority',
  description: 'One to trust besides the well-known ones, in PEM.',
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
          description: 'With user, password and database in it.',
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
          description: 'Name or address of the server.',
          minLength: 1,
          maxLength: 253,
        },
        port: {
          type: 'integer',
          title: 'Port',
          description: "The protocol's own unless it says so.",
          minimum: 1,
          maximum: 65_535,
        },
        user: { type: 'string', title: 'User name', description: 'Who logs in.', maxLength: 512 },
        password: { type: 'string', title: 'Password', description: 'Best from a secret.', maxLength: 10_000 },
        ...parts,
        ca: CA,
      },
      ['host'],
    ),
  ],
  examples,
});
