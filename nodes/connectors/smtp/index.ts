import { isObject } from '../../../lib/json';
import type { NodeContext } from '../../contract';
import { emailSendNode } from '../../messaging/email-send';
import { connectionOf } from '../delegate';
import { CA, HOST, plainField, secretField } from '../credentials';
import { defineConnector } from '../define';
import { text } from '../../schema';

const { properties } = emailSendNode.input;
const { connection: _connection, from: _from, ...members } = isObject(properties) ? properties : {};

/** Mail through a server of one's own: as the step type `email_send`, with the account as its connection. */
export const smtp = defineConnector({
  name: 'smtp',
  title: 'Mail server (SMTP)',
  description: 'Send emails through an SMTP server.',
  category: 'Communication',
  docs: 'https://www.rfc-editor.org/rfc/rfc5321',

  fields: [
    HOST,
    plainField('port', 'Port', 'Port. Default: 465, 587 or 25, by security.', '587', {
      required: false,
      format: 'port',
    }),
    plainField('security', 'Security', 'tls, starttls or none. Default: tls on port 465, otherwise starttls.', {
      required: false,
    }),
    plainField('user', 'User name', 'User name. Without one there is no login.', { required: false }),
    secretField('password', 'Password', 'Password of the user.', { required: false }),
    plainField('from', 'From', 'Default sender.', 'Orders <orders@example.com>'),
    CA,
  ],
  base: '',
  sign: (request) => request,
  actions: [
    {
      kind: 'code',
      name: 'send',
      title: 'Send an email',
      description: 'Sends an email through the server.',
      effect: 'write',
      repeatable: false,
      input: {
        ...(members as Readonly<Record<string, Readonly<Record<string, unknown>>>>),
        from: text('Sender. Default: that of the connection.', 'Orders <orders@example.com>', { maxLength: 512 }),
      },
      required: ['to', 'subject'],
      output: emailSendNode.output,
      run(input, { credentials }, ctx) {
        // Loaded at its first use, as the step type does it.
        const { run } = require('../../messaging/email-send/run') as typeof import('../../messaging/email-send/run');
        const names = ['host', 'port', 'security', 'user', 'password', 'ca'];
        const connection = connectionOf(credentials, names, { numbers: ['port'] });
        const from = input.from ?? credentials.from ?? '';
        return run(
          Object.create(ctx, {
            input: { value: { ...input, from, connection } },
            capabilities: { value: { ...ctx.capabilities, mail: null } },
          }) as NodeContext,
        );
      },
    },
  ],
});
