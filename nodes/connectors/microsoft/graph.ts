import type { Json, JsonObject } from '../../../lib/json';
import type { ConnectorRequest, Pages } from '../contract';
import { filledText, flag, list, outputOf, text } from '../../schema';
import { byCursorWith } from '../http/pages';

/** Pages of Microsoft Graph. Of the link to the next page only the query is used, so that the token goes to no other host. */
export const graphPages: Pages = byCursorWith({ items: 'value', cursor: '["@odata.nextLink"]' }, (request, link) => ({
  ...request,
  query: queryOf(link),
}));

function queryOf(link: string): NonNullable<ConnectorRequest['query']> {
  return URL.canParse(link) ? Object.fromEntries(new URL(link).searchParams) : {};
}

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
