import { type Setting, TRIGGER_TYPES, type TriggerType } from '../../../dsl/validation/trigger-types';
import { type ConfigField, fieldOf } from './config-form';
import { isObject, type JsonObject, type Path } from './document';

/** A trigger of a document with its place: `trigger`, or one of `triggers`. */
export interface TriggerPlace {
  readonly trigger: JsonObject;
  readonly type: string;
  readonly path: Path;
}

export function triggersOf(document: JsonObject): TriggerPlace[] {
  const list: readonly (readonly [unknown, Path])[] = Array.isArray(document.triggers)
    ? document.triggers.map((trigger: unknown, index) => [trigger, ['triggers', index]] as const)
    : [[document.trigger, ['trigger']]];
  return list.flatMap(([trigger, path]) =>
    isObject(trigger) ? [{ trigger, type: typeof trigger.type === 'string' ? trigger.type : '', path }] : [],
  );
}

/** The document with a further trigger; the only one of before becomes the first of the list. */
export function withTrigger(document: JsonObject, type: string): JsonObject {
  const trigger = { type, config: {} };
  const all = triggersOf(document).map((place) => place.trigger);
  if (all.length === 0) return { ...document, trigger };
  return replaced(document, [...all, trigger]);
}

/** The document without one of its triggers; the last that is left is the only one again. */
export function withoutTrigger(document: JsonObject, path: Path): JsonObject {
  const index = path.length === 1 ? 0 : Number(path.at(-1));
  return replaced(
    document,
    triggersOf(document)
      .map((place) => place.trigger)
      .filter((_trigger, at) => at !== index),
  );
}

/** Keys keep their order, and the triggers the place that they had. */
function replaced(document: JsonObject, triggers: readonly JsonObject[]): JsonObject {
  const [only] = triggers;
  const entry = triggers.length === 1 ? (['trigger', only] as const) : (['triggers', triggers] as const);
  const entries = Object.entries(document).flatMap(([key, value]) =>
    key === 'trigger' || key === 'triggers' ? [entry] : [[key, value] as const],
  );
  return Object.fromEntries(entries);
}

const TITLES: Readonly<Record<string, string>> = {
  manual: 'By hand',
  http: 'Webhook',
  form: 'Form',
  schedule: 'Schedule',
  http_poll: 'Poll an HTTP address',
  rss: 'RSS or Atom feed',
  email: 'E-mail (IMAP)',
  suite_mail: 'Gmail',
  suite_sheet: 'Google Sheets',
  suite_calendar: 'Google Calendar',
  notes_database: 'Notion database',
  chat_message: 'Slack message',
  microsoft_mail: 'Outlook mail',
  microsoft_file: 'OneDrive or SharePoint file',
  'messaging-a': 'WhatsApp',
  'messaging-b': 'Messenger',
  chat: 'Chat',
  billing_event: 'Stripe event',
  voice_event: 'LiveKit event',
  signal: 'Signal',
  workflow_completed: 'Another workflow has ended',
  error: 'Another workflow has failed',
};

export const triggerTitle = (type: string): string => TITLES[type] ?? type;

/** Every type of trigger with its title. */
export const TRIGGER_CHOICES: readonly { readonly value: string; readonly label: string }[] = [
  ...TRIGGER_TYPES.keys(),
].map((type) => ({ value: type, label: triggerTitle(type) }));

const EXAMPLES: Partial<Record<Setting & string, string>> = {
  cron: '0 9 * * 1-5',
  interval: '15m',
  poll: '5m',
  'slow poll': '5m',
  zone: 'Europe/Berlin',
  url: 'https://example.com/feed',
  duration: '10m',
  expression: '{{ trigger.body.id }}',
  'output text': 'Thank you. Your ticket is {{ output.ticket }}.',
  redirect: 'https://example.com/thanks',
};

/** The controls of a type of trigger; none for an unknown one. */
export function triggerFields(type: string): ConfigField[] {
  const known = TRIGGER_TYPES.get(type);
  if (known === undefined) return [];
  return Object.entries(known.settings).map(([name, setting]) => {
    const field = fieldOf(name, schemaOf(setting), known.required.includes(name));
    return {
      ...field,
      label: LABELS[name] ?? sentence(name),
      hint: hintOf(known, name),
      example: typeof setting === 'string' ? (EXAMPLES[setting] ?? null) : null,
    };
  });
}

function hintOf({ oneOf, secrets }: TriggerType, name: string): string | null {
  if (oneOf?.includes(name) === true) return `One of ${oneOf.join(' and ')}.`;
  return secrets?.includes(name) === true ? 'May be a secret: {{ secret.NAME }}.' : null;
}

function schemaOf(setting: Setting): JsonObject {
  if (typeof setting !== 'string') return { enum: setting };
  switch (setting) {
    case 'flag':
      return { type: 'boolean' };
    case 'port':
      return { type: 'integer' };
    case 'texts':
      return { type: 'array', items: { type: 'string' } };
    case 'map':
      return { type: 'object', additionalProperties: { type: 'string' } };
    case 'signature':
      return {};
    case 'prose':
    case 'output text':
      return { type: 'string', maxLength: 5_000 };
    default:
      return { type: 'string' };
  }
}

/** Labels that say more than the name of the setting. */
const LABELS: Readonly<Record<string, string>> = {
  raw: 'Keep the raw body',
  signature: 'Signature of the sender',
  dedupe: 'Recognise repeats by',
  every: 'Interval',
  missed: 'Missed starts',
  overlap: 'While a run goes on',
  window: 'Missed starts count for',
  jitter: 'Random delay up to',
  submit: 'Text of the button',
  confirmation: 'Text after it was sent',
  redirect: 'Or go on to this address',
  access: 'Who may open it',
  items: 'Path of the items',
  id: 'Path of the id of an item',
};

const sentence = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
