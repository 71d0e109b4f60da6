import type { CredentialField } from '../contract';
import { anyValue, choice, filledText, list, object, outputOf, record, text } from '../../schema';

export const TO = text('A phone number with its country code, as `{{ trigger.message.from }}`.', '+4915112345678', {
  pattern: '^(?:whatsapp:)?\\+?[0-9 ()./-]{5,30}$',
});

export const BODY = filledText('The text.', 'Your order has shipped.', { maxLength: 4_096 });

export const MESSAGE_ID = filledText('Id of the message, as `{{ trigger.message.id }}`.', 'wamid.HBgLMTY1MDM4Nzk0', {
  maxLength: 500,
});

export const MEDIA = {
  type: choice(['image', 'video', 'audio', 'document', 'sticker'], 'What the file is.'),
  url: text('Where the provider gets the file.', 'https://example.com/label.pdf', {
    pattern: '^https?://',
    maxLength: 2_000,
  }),
} as const;

export const CAPTION = text('Text with it; not with audio and stickers.', 'Your label', {
  maxLength: 1_024,
});

export const FILENAME = text('Of a document.', 'label.pdf', { maxLength: 240 });

export const TEMPLATE = filledText('Its name; with the form-encoded format the id of its content.', 'order_shipped', {
  maxLength: 512,
});

export const LANGUAGE = text('The code of the language of the template.', 'en_US', {
  maxLength: 20,
  default: 'en_US',
});

export const PARAMETERS = list(
  text('A text.', 'Ada', { maxLength: 1_024 }),
  'What stands in place of {{1}}, {{2}} and so on in the text.',
  ['Ada', '4711'],
  { maxItems: 100 },
);

export const COMPONENTS = list(
  object({}, 'As the provider documents it.', { open: true }),
  'Header, buttons and the like, instead of plain values.',
  [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }],
  { maxItems: 20 },
);

export const BUTTONS = list(
  object(
    {
      id: filledText('Comes back when it is pressed.', 'yes', { maxLength: 256 }),
      title: filledText('What it says.', 'Yes', { maxLength: 20 }),
    },
    'A button.',
    { required: ['id', 'title'] },
  ),
  'One to three.',
  [{ id: 'yes', title: 'Yes' }],
  { minItems: 1, maxItems: 3 },
);

export const SENT = outputOf(
  {
    id: text('Id of the message.'),
    to: text('Whom it went to, as the provider writes it.'),
    status: text('How far it has come.'),
    answer: anyValue('The answer of the provider.'),
  },
  ['id'],
);

export const SENDER = outputOf(
  {
    id: text('Id of the number, or of the account.'),
    name: text('What people see.'),
    answer: record('The answer of the provider.'),
  },
  ['id'],
);

const credential = (
  name: string,
  title: string,
  description: string,
  secret: boolean,
  example: string,
): CredentialField => ({ name, title, description, secret, required: false, example });

/** Fields of the one kind of account, then of the other. */
export const ACCOUNT_FIELDS: readonly CredentialField[] = [
  credential(
    'access_token',
    'Access token',
    'Of the JSON format (Cloud API): a token of a system user.',
    true,
    'EAAJ...',
  ),
  credential(
    'phone_number_id',
    'Phone number id',
    'Of the JSON format: the id of the number to send from.',
    false,
    '106540352242922',
  ),
  credential('account_sid', 'Account SID', 'Of the form-encoded format (Twilio).', false, 'AC...'),
  credential('auth_token', 'Auth token', 'Of the form-encoded format.', true, '...'),
  credential(
    'from',
    'From',
    'Of the form-encoded format: a number, `whatsapp:` and a number, or the SID of a messaging service.',
    false,
    'whatsapp:+14155238886',
  ),
];
