import { anything, choice, flag, integer, list, object, outputOf, text } from '../schemas';

export const CHANNEL = text('Channel', 'Id of a channel, group or direct message.', 'C024BE91L', {
  minLength: 1,
  maxLength: 200,
});

export const MESSAGE_TS = text('Message', 'The timestamp that names a message in its channel.', '1503435956.000247', {
  pattern: '^\\d{1,20}\\.\\d{1,20}$',
});

export const MESSAGE = {
  text: text('Text', 'The text; the notification of a message with blocks.', 'Order 4711 has *shipped*.', {
    maxLength: 40_000,
  }),
  blocks: list(
    object({}, 'Block', 'A block as the provider documents it.', { open: true }),
    'Blocks',
    'Layout.',
    [{ type: 'section', text: { type: 'mrkdwn', text: 'Order 4711 has *shipped*.' } }],
    { maxItems: 50 },
  ),
  attachments: list(
    object({}, 'Attachment', 'An attachment as the provider documents it.', { open: true }),
    'Attachments',
    'The older kind of layout.',
    [{ color: '#36a64f', text: 'shipped' }],
    { maxItems: 100 },
  ),
} as const;

export const LOOKS = {
  username: text('Name', 'Instead of the name of the app.', 'Orders', { maxLength: 80 }),
  icon_emoji: text('Icon', 'An emoji instead of the icon of the app.', ':package:', { maxLength: 100 }),
  unfurl_links: flag('Unfold links', 'Shows what links lead to.', { default: true }),
  unfurl_media: flag('Unfold media', 'Shows media that links lead to.', { default: true }),
} as const;

export const SINCE = {
  oldest: text('Since', 'The timestamp after which messages count.', '1503435956.000000', {
    pattern: '^\\d{1,20}(?:\\.\\d{1,20})?$',
  }),
  latest: text('Until', 'The timestamp before which messages count.', '1503522356.000000', {
    pattern: '^\\d{1,20}(?:\\.\\d{1,20})?$',
  }),
  inclusive: flag('Inclusive', 'Messages of just those timestamps count too.', { default: false }),
} as const;

export const CHANNEL_TYPES = list(
  choice(['public_channel', 'private_channel', 'mpim', 'im'], 'Type', 'A kind of channel.'),
  'Types',
  'Which kinds of channels.',
  ['public_channel'],
  { minItems: 1, uniqueItems: true, default: ['public_channel'] },
);

/** What a message that was posted, changed or deleted is answered with. */
export const POSTED = outputOf(
  {
    channel: text('Channel', 'Id of the channel.'),
    ts: text('Message', 'The timestamp that names the message.'),
    message: object({}, 'Message', 'The message as it stands there.', { open: true }),
  },
  ['channel', 'ts'],
);

export const ITEM_MESSAGE = object(
  {
    type: text('Type', 'What it is, as `message`.'),
    user: text('User', 'Id of who wrote it.'),
    text: text('Text', 'What it says.'),
    ts: text('Message', 'The timestamp that names it.'),
    thread_ts: text('Thread', 'The timestamp of the message that began its thread.'),
  },
  'Message',
  'A message.',
  { open: true },
);

export const ITEM_CHANNEL = object(
  {
    id: text('Id', 'Id of the channel.'),
    name: text('Name', 'Its name.'),
    is_private: flag('Private', 'Whether one must be invited.'),
    is_member: flag('Member', 'Whether the app is in it.'),
    num_members: integer('Members', 'How many are in it.'),
  },
  'Channel',
  'A channel.',
  { open: true },
);

export const ITEM_USER = object(
  {
    id: text('Id', 'Id of the user.'),
    name: text('Name', 'The name that others mention.'),
    real_name: text('Real name', 'First and last name.'),
    deleted: flag('Deleted', 'Whether the account is closed.'),
    is_bot: flag('Bot', 'Whether it is a machine.'),
    profile: anything('Profile', 'What else is known: email address, title, images.'),
  },
  'User',
  'A user.',
  { open: true },
);
