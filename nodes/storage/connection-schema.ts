import type { JsonSchema } from '../contract';
import { filledText, integer, objectSchema, text } from '../schema';

/** An authority that is trusted besides those that everybody trusts. */
const CA: JsonSchema = text('Additional certificate authority to trust, in PEM format.', {
  title: 'CA certificate',
  maxLength: 100_000,
});

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
        url: filledText('Connection URL with user, password and database.', { maxLength: 10_000 }),
        ca: CA,
      },
      ['url'],
    ),
    objectSchema(
      {
        host: filledText('Host name or IP address of the server.', { maxLength: 253 }),
        port: integer('Default: that of the protocol.', { minimum: 1, maximum: 65_535 }),
        user: text('User name to log in with.', { title: 'User name', maxLength: 512 }),
        password: text('Password, preferably from a secret.', { maxLength: 10_000 }),
        ...parts,
        ca: CA,
      },
      ['host'],
    ),
  ],
  examples,
});
