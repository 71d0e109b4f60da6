/** What the value of a setting must be. */
export type Setting =
  | 'text'
  | 'duration'
  /** A duration of a second or more. */
  | 'interval'
  /** A polling interval: at least ten seconds; thirty, where a provider has a rate limit. */
  | 'poll'
  | 'slow poll'
  | 'cron'
  | 'zone'
  | 'url'
  | 'port'
  | 'flag'
  | 'texts'
  /** Values by name, such as headers. */
  | 'map'
  /** The name of a signal: not one that approvals or the service itself use. */
  | 'signal'
  /** How a sender signs its requests. */
  | 'signature'
  /** One expression over the request. */
  | 'expression'
  /** Several lines of text. */
  | 'prose'
  /** The same; may name outputs of the run. */
  | 'output text'
  /** Where a browser goes: https, or http to this machine. */
  | 'redirect'
  /** One of these words. */
  | readonly string[];

/** The settings of one type of trigger. */
export interface TriggerType {
  readonly settings: Readonly<Record<string, Setting>>;
  readonly required: readonly string[];
  /** Exactly one of these is required. */
  readonly oneOf?: readonly string[];
  /** Settings that may hold `{{ secret.NAME }}`; all others are fixed text. */
  readonly secrets?: readonly string[];
  /** Settings with an expression over `trigger`, evaluated for each request before a run starts. */
  readonly overTrigger?: readonly string[];
}

const NONE: TriggerType = { settings: {}, required: [] };
const SECRETS_OF_MESSAGES = ['verify_token', 'app_secret', 'auth_token'];

const messages: TriggerType = {
  settings: { verify_token: 'text', app_secret: 'text', auth_token: 'text' },
  required: [],
  secrets: SECRETS_OF_MESSAGES,
};

/** A polled source behind a connection. A tenant's only connection is the default. */
const poller = (settings: Readonly<Record<string, Setting>>, ...required: string[]): TriggerType => ({
  settings: { connection: 'text', every: 'slow poll', ...settings },
  required,
});

const POLLERS = {
  http_poll: {
    settings: { url: 'url', items: 'text', id: 'text', every: 'poll', headers: 'map' },
    required: ['url'],
    secrets: ['url', 'headers'],
  },
  rss: { settings: { url: 'url', every: 'poll' }, required: ['url'], secrets: ['url'] },
  email: {
    settings: {
      host: 'text',
      port: 'port',
      tls: 'flag',
      allow_plain: 'flag',
      auth: ['password', 'xoauth2'],
      user: 'text',
      password: 'text',
      mailbox: 'text',
      every: 'poll',
    },
    required: ['host', 'user', 'password'],
    secrets: ['user', 'password'],
  },
  suite_mail: poller({ query: 'text' }),
  suite_sheet: poller({ spreadsheet: 'text', sheet: 'text' }, 'spreadsheet'),
  suite_calendar: poller({ calendar: 'text' }),
  notes_database: poller({ database: 'text' }, 'database'),
  chat_message: poller({ channel: 'text' }, 'channel'),
  microsoft_mail: poller({ folder: 'text' }),
  microsoft_file: poller({ folder: 'text', drive: 'text' }),
} as const satisfies Record<string, TriggerType>;

/** Every type of trigger. */
const TRIGGERS = {
  manual: NONE,
  /** `raw`: the run also gets the unparsed body. */
  http: {
    settings: { raw: 'flag', signature: 'signature', dedupe: 'expression' },
    required: [],
    secrets: ['signature'],
    overTrigger: ['dedupe'],
  },
  /** A page that people fill in; its fields are the `inputs` of the document. */
  form: {
    settings: {
      title: 'text',
      description: 'prose',
      submit: 'text',
      confirmation: 'output text',
      redirect: 'redirect',
      access: ['public', 'link'],
    },
    required: [],
  },
  schedule: {
    settings: {
      cron: 'cron',
      every: 'interval',
      timezone: 'zone',
      jitter: 'duration',
      missed: ['skip', 'last', 'all'],
      window: 'duration',
      overlap: ['allow', 'skip', 'queue'],
    },
    required: [],
    oneOf: ['cron', 'every'],
  },
  ...POLLERS,
  'messaging-a': messages,
  'messaging-b': messages,
  chat: NONE,
  billing_event: { settings: { events: 'texts' }, required: [] },
  voice_event: { settings: { events: 'texts' }, required: [] },
  signal: { settings: { signal: 'signal' }, required: ['signal'] },
  workflow_completed: {
    settings: { workflow: 'text', status: ['completed', 'failed', 'cancelled', 'any'] },
    required: ['workflow'],
  },
  error: { settings: { workflow: 'text' }, required: [] },
} as const satisfies Record<string, TriggerType>;

/** Every type of trigger by name. */
export const TRIGGER_TYPES: ReadonlyMap<string, TriggerType> = new Map(Object.entries(TRIGGERS));

/** Names of products as aliases of triggers. */
const PRODUCTS = {
  gmail: 'suite_mail',
  google_sheets: 'suite_sheet',
  suite_sheets: 'suite_sheet',
  google_calendar: 'suite_calendar',
  notion: 'notes_database',
  slack: 'chat_message',
  outlook: 'microsoft_mail',
  onedrive: 'microsoft_file',
  whatsapp: 'messaging-a',
  messenger: 'messaging-b',
  instagram: 'messaging-b',
  stripe: 'billing_event',
  livekit: 'voice_event',
} as const satisfies Record<string, keyof typeof TRIGGERS>;

/** Hyphens and underscores are equivalent in names. */
const comparable = (type: string): string => type.replaceAll('-', '_');

const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.keys(TRIGGERS).map((type) => [comparable(type), type] as const),
  ...Object.entries(PRODUCTS),
]);

/** The type that a name or alias of a trigger stands for; the name itself where it stands for none. */
export const canonicalTrigger = (type: string): string => NAMES.get(comparable(type)) ?? type;

/** Every name of a type: hyphens for underscores, and products. */
export const namesOfTrigger = (type: string): string[] => [
  ...new Set([
    type,
    type.replaceAll('_', '-'),
    type.replaceAll('-', '_'),
    ...Object.entries(PRODUCTS).flatMap(([name, canonical]) => (canonical === type ? [name] : [])),
  ]),
];

/** Triggers whose sources are polled. */
export const POLLED_TRIGGERS: ReadonlySet<string> = new Set(Object.keys(POLLERS));
