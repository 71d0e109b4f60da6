import type { JsonObject } from '../../../lib/json';
import { done } from '../../outcome';
import type { CodeAction, Send } from '../contract';
import { urlPath } from '../http/path';
import { objectAt, withoutUndefined, textAt } from '../values';
import { blocksOf, iconOf } from './blocks';
import { CONTENT, DATABASE_ID, ICON, PAGE, PAGE_ID, VALUES } from './fields';
import { pageOf, propertiesOf } from './values';

/** The kinds of the properties in a response that has them by name. */
const kindsIn = (properties: JsonObject) => (name: string) =>
  Object.hasOwn(properties, name) ? textAt(properties, name, 'type') : undefined;

async function write(send: Send, request: Parameters<Send>[0]) {
  const sent = await send(request);
  return sent.kind === 'response' ? done(pageOf(sent.response.body)) : sent.outcome;
}

/** The types of properties are requested first, as only the provider knows them. */
export const items: readonly CodeAction[] = [
  {
    kind: 'code',
    name: 'create_database_item',
    title: 'Create a database item',
    description: 'Creates an item of a database from plain values.',
    effect: 'write',
    repeatable: false,
    input: { database_id: DATABASE_ID, values: VALUES, ...CONTENT, icon: ICON },
    required: ['database_id', 'values'],
    output: PAGE,
    async run(input, _account, _ctx, send) {
      const database = await send({ method: 'GET', url: urlPath`/v1/databases/${input.database_id}` });
      if (database.kind === 'failed') return database.outcome;
      const blocks = blocksOf(input);
      return write(send, {
        method: 'POST',
        url: '/v1/pages',
        body: withoutUndefined({
          parent: { database_id: input.database_id ?? '' },
          properties: propertiesOf(objectAt(input, 'values'), kindsIn(objectAt(database.response.body, 'properties'))),
          icon: iconOf(input),
          children: blocks.length === 0 ? undefined : blocks,
        }),
      });
    },
  },
  {
    kind: 'code',
    name: 'update_database_item',
    title: 'Update a database item',
    description: 'Updates the given values; other values are unchanged.',
    effect: 'write',
    repeatable: true,
    input: { page_id: PAGE_ID, values: VALUES },
    required: ['page_id', 'values'],
    output: PAGE,
    async run(input, _account, _ctx, send) {
      const url = urlPath`/v1/pages/${input.page_id}`;
      const page = await send({ method: 'GET', url });
      if (page.kind === 'failed') return page.outcome;
      const kinds = kindsIn(objectAt(page.response.body, 'properties'));
      return write(send, {
        method: 'PATCH',
        url,
        body: { properties: propertiesOf(objectAt(input, 'values'), kinds) },
      });
    },
  },
];
