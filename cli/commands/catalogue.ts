import type { JsonObject } from '../../lib/json';
import { command } from '../command';
import { objectAt, objectsAt, textAt } from '../workflows';

/** Above the number of either. */
const MAX_ROWS = 10_000;

const TEXT = [{ name: 'TEXT', optional: true }] as const;

/** Whether a member contains the text, ignoring case. */
const hasText = (row: JsonObject, text: string, ...members: string[]): boolean =>
  members.some((member) => textAt(row, member).toLowerCase().includes(text.toLowerCase()));

/** Lists step types. */
export const nodes = command({
  name: 'nodes',
  summary: 'Lists the types of steps',
  args: TEXT,
  options: { category: { type: 'string', value: 'CATEGORY', help: 'of one category, such as Flow or CRM' } },
  notes: ['TEXT finds types by their name and title.'],
  async run({ args: [text = ''], options, session }) {
    const query = options.category === undefined ? '' : `?category=${encodeURIComponent(options.category)}`;
    const all = await session.client.list(`/api/v1/node-types${query}`, MAX_ROWS);
    const rows = all.filter((row) => hasText(row, text, 'type', 'title'));
    session.answer(rows, () =>
      session.world.out.table(
        ['TYPE', 'CATEGORY', 'EFFECT', 'TITLE'],
        rows.map((row) => ['type', 'category', 'effect', 'title'].map((member) => textAt(row, member))),
      ),
    );
    return 'ok';
  },
});

/** Lists connectors, or shows one. */
export const connectors = command({
  name: 'connectors',
  summary: 'Lists the connectors, or shows one with its actions',
  args: [{ name: 'NAME', optional: true }],
  async run({ args: [name], session }) {
    const { client, world } = session;
    if (name === undefined) {
      const rows = await client.list('/api/v1/connectors', MAX_ROWS);
      session.answer(rows, () =>
        world.out.table(
          ['NAME', 'CATEGORY', 'ACTIONS', 'TITLE'],
          rows.map((row) => [
            textAt(row, 'name'),
            textAt(row, 'category'),
            String(objectsAt(row, 'actions').length),
            textAt(row, 'title'),
          ]),
        ),
      );
      return 'ok';
    }
    const connector = await client.call('GET', `/api/v1/connectors/${encodeURIComponent(name)}`);
    session.answer(connector, () => {
      world.out.line(textAt(connector, 'title'), ': ', textAt(connector, 'description'));
      const fields = objectsAt(objectAt(connector, 'auth'), 'fields').map((field) => textAt(field, 'name'));
      world.out.line('Credentials: ', fields.length === 0 ? 'none' : fields.join(', '));
      world.out.table(
        ['TYPE', 'EFFECT', 'TITLE'],
        objectsAt(connector, 'actions').map((action) => [
          textAt(action, 'type'),
          textAt(action, 'effect'),
          textAt(action, 'title'),
        ]),
      );
    });
    return 'ok';
  },
});
