import { ERRORS } from '../../lib/errors';
import type { JsonSchema } from '../../nodes/contract';
import { type ActionName, REPEATABLE } from '../../services/catalogue';
import { REFUSALS } from '../../services/refusals';
import type { MenuLine } from '../menus';
import { namedIn } from '../openapi/schema';
import { typeText } from '../type-text';
import { aboutOf, type TypedActions } from '../types';
import { anchor, code, MADE, memberRows, oneLine, table, words } from './markdown';

const ABOUT = `# Actions and events

Every action of the services, and every event that they send each other, for programs on [NATS](nats.md). Over HTTP the same
is behind the routes of [api.md](api.md) and \`GET /openapi.json\`.

- *Who*: \`public\`: anybody, since an id or a token is the secret; \`member\`, \`admin\`, \`owner\`: whoever has this role or a higher
  one; \`internal\`: services alone.
- *Repeatable*: doing it twice does no harm, so a call whose answer was lost may simply be made again.
- *Refuses*: by these codes, beside \`invalid_request\`, \`unauthenticated\`, \`forbidden\` and trouble of the service
  (\`unavailable\`, \`timed_out\`, \`internal\`). What each code means is told in [api.md](api.md#errors).
- Params with a star must be there. Names in capitals, such as \`WorkflowView\`, are among the [types](#types).`;

/** The page about everything that can be called and heard on the bus. */
export function actionsPage(menus: Readonly<Record<string, MenuLine>>, types: TypedActions): string {
  const names = Object.keys(menus);
  const services = [...new Set(names.map(serviceOf))];
  const contents = services.map((service) => `[${service}](#${anchor(service)})`).join(' · ');
  const sections = services.map((service) => {
    const own = names.filter((name) => serviceOf(name) === service);
    return [`## ${service}`, ...own.map((name) => actionText(name, menus[name] as MenuLine, types))].join('\n\n');
  });
  return `${[ABOUT, `${contents} · [events](#events) · [types](#types)`, MADE, ...sections, eventsText(types), typesText(types)].join('\n\n')}\n`;
}

const serviceOf = (action: string): string => action.slice(0, action.indexOf('.'));

const named = (name: string): string => `[${code(name)}](#types)`;

function actionText(name: string, line: MenuLine, types: TypedActions): string {
  const comment = aboutOf(types.comments[name] ?? '');
  const result = types.results[name];
  const refusals = REFUSALS[name as ActionName] ?? [];
  const rows = memberRows(line.params, named);
  const takes = rows.length > 0 ? table(['param', 'type', ''], rows) : 'Takes no params of its own.';
  const answer = result === null || result === undefined ? 'nothing' : answerText(result);
  return [
    `### ${name}`,
    `${line.summary}.${comment === '' ? '' : ` ${comment}`}`,
    `*Who*: ${code(line.access)}. *Repeatable*: ${REPEATABLE.has(name) ? 'yes' : 'no'}.` +
      (refusals.length === 0
        ? ''
        : ` *Refuses*: ${refusals.map((each) => `${code(each)} (${ERRORS[each].status})`).join(', ')}.`),
    takes,
    `Answers ${answer}.`,
  ].join('\n\n');
}

/** An answer without a name is told by its members. */
function answerText(result: JsonSchema): string {
  const members = Object.keys(result.properties ?? {});
  return result.$ref === undefined && members.length > 0 ? code(typeText(result)) : words(result, named);
}

function eventsText({ events }: TypedActions): string {
  const about =
    'Delivered at most once, and hints: whoever hears one looks what is so. Anybody with the rights to send on the bus can send one.';
  const rows = Object.entries(events).map(([name, { comment, data }]) => [code(name), code(typeText(data)), comment]);
  return `## Events\n\n${about}\n\n${table(['event', 'data', ''], rows)}`;
}

function typesText(types: TypedActions): string {
  const names = [...namedIn([types.results, types.events], types.definitions)].sort();
  const lines = names.map((name) => {
    const schema = types.definitions[name] ?? {};
    const comment = oneLine(schema.description);
    return `${comment === '' ? '' : `/** ${comment} */\n`}type ${name} = ${typeText(schema)};`;
  });
  return `## Types\n\n\`\`\`ts\n${lines.join('\n\n')}\n\`\`\``;
}
