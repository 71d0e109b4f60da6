import { tryMailServer } from '../../../lib/mailer';
import { type Check, note, ok, warning } from '../finding';

const TIMEOUT_MS = 8_000;

/** The mail server: connects and logs in. Sends nothing. */
export const mail: Check = {
  name: 'mail',
  mend: 'Check host, port, user and password in SMTP_URL, and that the server is reachable from here.',
  async run({ config }) {
    if (config.mail === null) return [note('none (SMTP_URL): invitations and password resets are not mailed')];
    const { server } = config.mail;
    await tryMailServer(server, TIMEOUT_MS);
    const at = `${server.host}:${server.port}`;
    if (server.security === 'none' && !/^(localhost|127\.|::1)/.test(server.host))
      return [
        warning(`${at} accepts mail without encryption`, 'Use smtps:// or STARTTLS, unless the network is private.'),
      ];
    return [ok(`${at} accepts the connection${server.login === null ? ', without a login' : ''}`)];
  },
};
