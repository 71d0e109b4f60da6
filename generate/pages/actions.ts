import { type ActionName, ACTIONS } from '../../contracts/catalogue';
import { EVENTS } from '../../contracts/events';
import { ERRORS } from '../../lib/errors';
import { type JsonSchema, namedSchemas } from '../../lib/schema';
import { paramsSchemaOf, resultSchemaOf } from '../actions';
import { namedIn } from '../openapi/schema';
import { schemaOfParams } from '../params';
import { typeText } from '../type-text';
import { anchor, code, GENERATED_NOTICE, memberRows, oneLine, table, words } from './markdown';

const ABOUT = `# Actions and events

Every action that a program may call over [NATS](nats.md) with a token, and every event that the services send each other. Over
HTTP the same is behind the routes of [api.md](api.md) and \`GET /openapi.json\`. Actions that only the services call are in
\`contracts/\` in the sources.

- *Who*: \`public\`: anyone, since an id or a token is the secret; \`member\`, \`admin\`, \`owner\`: people and keys with this role
  or a higher one.
- *Repeatable*: doing it twice does no harm, so a call whose answer was lost may simply be made again.
- *Errors*: by these codes, beside \`invalid_request\`, \`unauthenticated\`, \`forbidden\` and faults of the service
  (\`unavailable\`, \`timed_out\`, \`internal\`). What each code says is in [api.md](api.md#errors).
- Params with a star are required. Names in capitals, such as \`WorkflowView\`, are among the [types](#types).`;

/** Actions that integrators may call, by name. */
const names = (Object.keys(ACTIONS) as ActionName[]).filter((name) => ACTIONS[name].integrators === true).sort();

const serviceOf = (action: string): string => action.slice(0, action.indexOf('.'));

const services = [...new Set(names.map(serviceOf))];

const namesOf = (service: string): ActionName[] => names.filter((name) => serviceOf(name) === service);

const PLACE = /(<!-- actions -->\n)[\s\S]*?(<!-- end of actions -->)/;

/** Replaces the table of actions in the page about NATS. @throws Error if its markers are missing */
export function withActions(page: string): string {
  if (!PLACE.test(page)) throw new Error('docs/nats.md has lost the marks around its table of actions');
  const rows = services.map((service) => [
    code(service),
    namesOf(service)
      .map((name) => `[${code(name)}](events-and-actions.md#${anchor(name)})`)
      .join(', '),
  ]);
  return page.replace(
    PLACE,
    (_all, begin: string, end: string) => `${begin}\n${table(['service', 'actions'], rows)}\n\n${end}`,
  );
}

/** The page about everything that integrators can call and receive on the bus. */
export function actionsPage(): string {
  const contents = services.map((service) => `[${service}](#${anchor(service)})`).join(' · ');
  const sections = services.map((service) => [`## ${service}`, ...namesOf(service).map(actionText)].join('\n\n'));
  return `${[ABOUT, `${contents} · [events](#events) · [types](#types)`, GENERATED_NOTICE, ...sections, eventsText(), typesText()].join('\n\n')}\n`;
}

const named = (name: string): string => `[${code(name)}](#types)`;

function actionText(name: ActionName): string {
  const { summary, description, access, repeatable, errors = [] } = ACTIONS[name];
  const rows = memberRows(paramsSchemaOf(name), named);
  const takes = rows.length > 0 ? table(['param', 'type', ''], rows) : 'Takes no params of its own.';
  const result = resultSchemaOf(name);
  return [
    `### ${name}`,
    `${summary}.${description === undefined ? '' : ` ${description}`}`,
    `*Who*: ${code(access)}. *Repeatable*: ${repeatable === true ? 'yes' : 'no'}.` +
      (errors.length === 0
        ? ''
        : ` *Errors*: ${errors.map((each) => `${code(each)} (${ERRORS[each].status})`).join(', ')}.`),
    takes,
    `Answers ${result === null ? 'nothing' : answerText(result)}.`,
  ].join('\n\n');
}

/** An answer without a name is shown by its members. */
function answerText(result: JsonSchema): string {
  const members = Object.keys(result.properties ?? {});
  return result.$ref === undefined && members.length > 0 ? code(typeText(result)) : words(result, named);
}

function eventsText(): string {
  const about =
    'Delivered at most once, and hints: whichever process receives one looks at the database. Processes sign them; unsigned ones are dropped. Integrators get the [events for them](nats.md#events) alone.';
  const rows = Object.entries(EVENTS).map(([name, { summary, params, ...event }]) => [
    code(name),
    'integrators' in event ? 'yes' : 'no',
    code(typeText(schemaOfParams(params, name))),
    summary,
  ]);
  return `## Events\n\n${about}\n\n${table(['event', 'for integrators', 'data', ''], rows)}`;
}

function typesText(): string {
  const definitions = namedSchemas();
  const used = namedIn(names.map(resultSchemaOf), definitions);
  const lines = [...used].sort().map((name) => {
    const schema = definitions[name] ?? {};
    const comment = oneLine(schema.description);
    return `${comment === '' ? '' : `/** ${comment} */\n`}type ${name} = ${typeText(schema)};`;
  });
  return `## Types\n\n\`\`\`ts\n${lines.join('\n\n')}\n\`\`\``;
}
