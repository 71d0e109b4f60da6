/** Names of trigger types in other products, and what they are called here. */
export const TRIGGER_WORDS: ReadonlyMap<string, string> = new Map([
  ['webhook', 'http'],
  ['http_request', 'http'],
  ['cron', 'schedule'],
  ['timer', 'schedule'],
  ['interval', 'schedule'],
  ['imap', 'email'],
  ['mail', 'email'],
  ['event', 'signal'],
  ['feed', 'rss'],
  ['poll', 'http_poll'],
]);

/** The same of step types. */
export const STEP_WORDS: ReadonlyMap<string, string> = new Map([
  ['function', 'code'],
  ['script', 'code'],
  ['javascript', 'code'],
  ['js', 'code'],
  ['lambda', 'code'],
  ['request', 'http_request'],
  ['fetch', 'http_request'],
  ['webhook', 'http_request'],
  ['respond', 'webhook_response'],
  ['response', 'webhook_response'],
  ['loop', 'foreach'],
  ['for', 'foreach'],
  ['each', 'foreach'],
  ['map', 'foreach'],
  ['split', 'foreach'],
  ['repeat', 'while'],
  ['until', 'while'],
  ['catch', 'try'],
  ['choice', 'branch'],
  ['router', 'branch'],
  ['fork', 'parallel'],
  ['timer', 'wait'],
  ['assign', 'set'],
  ['sql', 'database_query'],
  ['mail', 'email_send'],
  ['email', 'email_send'],
  ['workflow', 'sub_workflow'],
  ['call_workflow', 'sub_workflow'],
  ['prompt', 'llm'],
  ['human', 'approval'],
  ['exit', 'stop'],
]);

/** Names of products and protocols, without hyphens and in lower case, and the connector or step type for them. */
export const CONNECTOR_WORDS: ReadonlyMap<string, string> = new Map([
  ['postgresql', 'postgres'],
  ['pg', 'postgres'],
  ['mariadb', 'mysql'],
  ['mongo', 'mongodb'],
  ['email', 'smtp'],
  ['mail', 'smtp'],
  ['sendmail', 'smtp'],
  ['ftp', 'sftp'],
  ['rest', 'http'],
  ['api', 'http'],
  ['feed', 'rss'],
  ['aws', 's3'],
  ['awss3', 's3'],
  ['minio', 's3'],
  ['teams', 'microsoft-teams'],
  ['msteams', 'microsoft-teams'],
  ['sheets', 'suite-sheets'],
  ['googlesheet', 'suite-sheets'],
  ['calendar', 'suite-calendar'],
  ['drive', 'suite-drive'],
  ['google', 'suite-mail'],
  ['twilio', 'messaging-a'],
  ['facebook', 'messaging-b'],
  ['openai', 'llm'],
  ['chatgpt', 'llm'],
  ['gpt', 'llm'],
  ['anthropic', 'llm'],
  ['claude', 'llm'],
  ['gemini', 'llm'],
  ['ollama', 'llm'],
  ['mistral', 'llm'],
]);

/** Operators that other languages write as words. */
const OPERATOR_WORDS: ReadonlyMap<string, string> = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['eq', '=='],
  ['ne', '!='],
]);

/** `"and" is written &&`, or undefined for any other word. */
export function operatorHint(word: string): string | undefined {
  const operator = OPERATOR_WORDS.get(word.toLowerCase());
  return operator === undefined ? undefined : `"${word}" is written ${operator}`;
}

/** `write "code"`: what a word of another product is called here; undefined where there is no such type. */
export function knownWordHint(
  word: string,
  words: ReadonlyMap<string, string>,
  known: { has(type: string): boolean },
): string | undefined {
  const meant = words.get(word.toLowerCase().replace(/[-_ ](?:step|node|trigger)$/, ''));
  return meant !== undefined && known.has(meant) ? `write "${meant}"` : undefined;
}
