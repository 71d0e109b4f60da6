import type { Json, JsonObject } from '../../../lib/json';
import { filledText, flag, list, outputOf, text } from '../../schema';
import { byBodyLink } from '../http/pages';

/** Pages of Microsoft Graph. */
export const graphPages = byBodyLink({ items: 'value', link: '["@odata.nextLink"]' });

/** A text of an OData expression. */
export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;

const address = (email: Json): JsonObject => ({ emailAddress: { address: email } });

/** E-mail addresses as Graph has them; undefined where the input has none. */
export const recipients = (emails: Json | undefined): JsonObject[] | undefined =>
  Array.isArray(emails) ? emails.map(address) : undefined;

export const EMAILS = (description: string) =>
  list(
    text('An email address.', 'ada@example.com', { minLength: 3, maxLength: 254 }),
    description,
    ['ada@example.com'],
    {
      maxItems: 500,
    },
  );

export const idField = (description: string, example: string) => filledText(description, example, { maxLength: 1_024 });

export const DELETED = {
  output: outputOf({ deleted: flag('Always true.') }, ['deleted']),
  read: (): JsonObject => ({ deleted: true }),
};
