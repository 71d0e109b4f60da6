/** What the value of a setting must be. */
export type Setting =
  | 'text'
  | 'duration'
  /** A duration of a second or more. */
  | 'interval'
  /** How often a source is asked: ten seconds or more; thirty, where a provider counts questions. */
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
  /** One of these words. */
  | readonly string[];

/** The settings of one type of trigger. */
export interface TriggerType {
  readonly settings: Readonly<Record<string, Setting>>;
  readonly required: readonly string[];
  /** Exactly one of these is there. */
  readonly oneOf?: readonly string[];
  /** Settings that may hold `{{ secret.NAME }}`; all others are fixed text. */
  readonly secrets?: readonly string[];
}

const NONE: TriggerType = { settings: {}, required: [] };
const SECRETS_OF_MESSAGES = ['verify_token', 'app_secret', 'auth_token'];

const messages: TriggerType = {
  settings: { verify_token: 'text', app_secret: 'text', auth_token: 'text' },
  required: [],
  secrets: SECRETS_OF_MESSAGES,
};

/** A source behind a connection that is asked now and then what is new. Where there is one connection alone, it is meant. */
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
} as const satisfies Record<string, TriggerType>;

/** Every type of trigger, whether or not this version has it. */
export const TRIGGERS = {
  manual: NONE,
  /** `raw`: the run gets the body as it came, too. */
  http: { settings: { raw: 'flag' }, required: [] },
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

/** Triggers whose sources are asked now and then what is new. */
export const POLLED_TRIGGERS: ReadonlySet<string> = new Set(Object.keys(POLLERS));
