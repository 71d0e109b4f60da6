import type { Config } from '../../lib/config';
import type { Console } from './notices';

/** Where the console is, as links in mails of accounts have it. */
export const consoleOf = ({ signIn, baseUrl, port }: Pick<Config, 'signIn' | 'baseUrl' | 'port'>): Console => ({
  url: signIn.frontendUrl ?? `${baseUrl ?? `http://localhost:${port}`}/console`,
});
