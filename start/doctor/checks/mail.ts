import { tryMailServer } from '../../../lib/mailer';
import { type Check, note, ok, warning } from '../finding';

const PATIENCE_MS = 8_000;

/** The mail server: connected to, encrypted, logged in to. Nothing is sent. */
export const mail: Check = {
  name: 'mail',
  mend: 'Check host, port, user and password in SMTP_URL, and that the server may be reached from here.',
  async run({ config }) {
    if (config.mail === null) return [note('none (SMTP_URL): nobody gets invitations or password resets by mail')];
    const { server } = config.mail;
    await tryMailServer(server, PATIENCE_MS);
    const at = `${server.host}:${server.port}`;
    if (server.security === 'none' && !/^(localhost|127\.|::1)/.test(server.host))
      return [warning(`${at} takes mail, unencrypted`, 'Use smtps:// or STARTTLS, unless the network is yours alone.')];
    return [ok(`${at} lets us in${server.login === null ? ', without a login' : ''}`)];
  },
};
