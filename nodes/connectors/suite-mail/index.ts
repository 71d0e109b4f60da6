import { suiteConnector } from '../suite/connector';
import { getAttachment } from './attachment';
import { mailbox } from './mailbox';
import { search } from './search';
import { sending } from './sending';

/** The API of Gmail, version 1. */
export const suiteMail = suiteConnector(
  {
    name: 'suite-mail',
    aliases: ['gmail', 'google_mail'],
    title: 'Gmail',
    description: 'Send, reply to, search, read and label emails in Gmail.',
    category: 'Communication',
    docs: 'https://developers.google.com/workspace/gmail/api/reference/rest',
    connectionTest: { action: 'get_profile', input: {} },
    actions: [...sending, search, getAttachment, ...mailbox],
  },
  'https://gmail.googleapis.com',
  ['gmail.modify'],
);
