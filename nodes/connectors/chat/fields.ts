import { anyValue, choice, filledText, flag, integer, list, object, outputOf, text } from '../../schema';

export const CHANNEL = filledText('Id of a channel, group or direct message.', 'C024BE91L', {
  maxLength: 200,
});

export const MESSAGE_TS = text('The timestamp that names a message in its channel.', '1503435956.000247', {
  pattern: '^\\d{1,20}\\.\\d{1,20}$',
});

export const MESSAGE = {
  text: text('The text; the notification of a message with blocks.', 'Order 4711 has *shipped*.', {
    maxLength: 40_000,
  }),
  blocks: list(
    object({}, 'A block as the provider documents it.', { open: true }),
    'Layout.',
    [{ type: 'section', text: { type: 'mrkdwn', text: 'Order 4711 has *shipped*.' } }],
    { maxItems: 50 },
  ),
  attachments: list(
    object({}, 'An attachment as the provider documents it.', { open: true }),
    'The older kind of layout.',
    [{ color: '#36a64f', text: 'shipped' }],
    { maxItems: 100 },
  ),
} as const;

export const LOOKS = {
  username: text('Instead of the name of the app.', 'Orders', { maxLength: 80 }),
  icon_emoji: text('An emoji instead of the icon of the app.', ':package:', { maxLength: 100 }),
  unfurl_links: flag('Shows what links lead to.', { default: true }),
  unfurl_media: flag('Shows media that links lead to.', { default: true }),
} as const;

export const SINCE = {
  oldest: text('The timestamp after which messages count.', '1503435956.000000', {
    pattern: '^\\d{1,20}(?:\\.\\d{1,20})?$',
  }),
  latest: text('The timestamp before which messages count.', '1503522356.000000', {
    pattern: '^\\d{1,20}(?:\\.\\d{1,20})?$',
  }),
  inclusive: flag('Messages of just those timestamps count too.', { default: false }),
} as const;

export const CHANNEL_TYPES = list(
  choice(['public_channel', 'private_channel', 'mpim', 'im'], 'A kind of channel.'),
  'Which kinds of channels.',
  ['public_channel'],
  { minItems: 1, uniqueItems: true, default: ['public_channel'] },
);

/** What a message that was posted, changed or deleted is answered with. */
export const POSTED = outputOf(
  {
    channel: text('Id of the channel.'),
    ts: text('The timestamp that names the message.'),
    message: object({}, 'The message as it stands there.', { open: true }),
  },
  ['channel', 'ts'],
);

export const ITEM_MESSAGE = object(
  {
    type: text('What it is, as `message`.'),
    user: text('Id of who wrote it.'),
    text: text('What it says.'),
    ts: text('The timestamp that names it.'),
    thread_ts: text('The timestamp of the message that began its thread.'),
  },
  'A message.',
  { open: true },
);

export const ITEM_CHANNEL = object(
  {
    id: text('Id of the channel.'),
    name: text('Its name.'),
    is_private: flag('Whether one must be invited.'),
    is_member: flag('Whether the app is in it.'),
    num_members: integer('How many are in it.'),
  },
  'A channel.',
  { open: true },
);

export const ITEM_USER = object(
  {
    id: text('Id of the user.'),
    name: text('The name that others mention.'),
    real_name: text('First and last name.'),
    deleted: flag('Whether the account is closed.'),
    is_bot: flag('Whether it is a machine.'),
    profile: anyValue('What else is known: email address, title, images.'),
  },
  'A user.',
  { open: true },
);
