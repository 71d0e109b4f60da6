import type { CredentialField } from '../contract';
import { anyValue, choice, filledText, list, object, outputOf, record, text } from '../../schema';

export const TO = text('Phone number with country code, such as `{{ trigger.message.from }}`.', '+4915112345678', {
  pattern: '^(?:whatsapp:)?\\+?[0-9 ()./-]{5,30}$',
});

export const BODY = filledText('Text.', 'Your order has shipped.', { maxLength: 4_096 });

export const MESSAGE_ID = filledText(
  'ID of the message, such as `{{ trigger.message.id }}`.',
  'wamid.HBgLMTY1MDM4Nzk0',
  { maxLength: 500 },
);

export const MEDIA = {
  type: choice(['image', 'video', 'audio', 'document', 'sticker'], 'Type of the file.'),
  url: text('Public URL of the file.', 'https://example.com/label.pdf', {
    pattern: '^https?://',
    maxLength: 2_000,
  }),
} as const;

export const CAPTION = text('Caption; not for audio and stickers.', 'Your label', { maxLength: 1_024 });

export const FILENAME = text('File name of a document.', 'label.pdf', { maxLength: 240 });

export const TEMPLATE = filledText(
  'Name of the template; with the form-encoded format the ID of its content.',
  'order_shipped',
  { maxLength: 512 },
);

export const LANGUAGE = text('Language code of the template.', 'en_US', { maxLength: 20, default: 'en_US' });

export const PARAMETERS = list(
  text('A value.', 'Ada', { maxLength: 1_024 }),
  'Values for {{1}}, {{2}} and so on in the template.',
  ['Ada', '4711'],
  { maxItems: 100 },
);

export const COMPONENTS = list(
  object({}, "In the provider's format.", { open: true }),
  'Components such as header and buttons, instead of plain values.',
  [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }],
  { maxItems: 20 },
);

export const BUTTONS = list(
  object(
    {
      id: filledText('ID that is returned when the button is pressed.', 'yes', { maxLength: 256 }),
      title: filledText('Text of the message.', 'Yes', { maxLength: 20 }),
    },
    'A button.',
    { required: ['id', 'title'] },
  ),
  'One to three buttons.',
  [{ id: 'yes', title: 'Yes' }],
  { minItems: 1, maxItems: 3 },
);

export const SENT = outputOf(
  {
    id: text('ID of the message.'),
    to: text('Recipient, as the provider writes it.'),
    status: text('Status of the object.'),
    answer: anyValue('Response of the provider.'),
  },
  ['id'],
);

export const SENDER = outputOf(
  {
    id: text('ID of the phone number or account.'),
    name: text('What people see.'),
    answer: record('Response of the provider.'),
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
