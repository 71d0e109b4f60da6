import { anyValue, choice, filledText, flag, integer, list, object, outputOf, text } from '../../schema';

export const CHANNEL = filledText('ID of a channel, group or direct message.', 'C024BE91L', { maxLength: 200 });

export const MESSAGE_TS = text('Timestamp that identifies the message in its channel.', '1503435956.000247', {
  pattern: '^\\d{1,20}\\.\\d{1,20}$',
});

export const MESSAGE = {
  text: text('Text of the message, or notification text of a message with blocks.', 'Order 4711 has *shipped*.', {
    maxLength: 40_000,
  }),
  blocks: list(
    object({}, "A block in the provider's format.", { open: true }),
    'Layout blocks.',
    [{ type: 'section', text: { type: 'mrkdwn', text: 'Order 4711 has *shipped*.' } }],
    { maxItems: 50 },
  ),
  attachments: list(
    object({}, "An attachment in the provider's format.", { open: true }),
    'Legacy attachments.',
    [{ color: '#36a64f', text: 'shipped' }],
    { maxItems: 100 },
  ),
} as const;

export const LOOKS = {
  username: text("Display name instead of the app's name.", 'Orders', { maxLength: 80 }),
  icon_emoji: text("Emoji instead of the app's icon.", ':package:', { maxLength: 100 }),
  unfurl_links: flag('Shows link previews.', { default: true }),
  unfurl_media: flag('Shows media previews.', { default: true }),
} as const;

export const SINCE = {
  oldest: text('Only messages after this timestamp.', '1503435956.000000', { pattern: '^\\d{1,20}(?:\\.\\d{1,20})?$' }),
  latest: text('Only messages before this timestamp.', '1503522356.000000', {
    pattern: '^\\d{1,20}(?:\\.\\d{1,20})?$',
  }),
  inclusive: flag('Includes messages with exactly these timestamps.', { default: false }),
} as const;

export const CHANNEL_TYPES = list(
  choice(['public_channel', 'private_channel', 'mpim', 'im'], 'A type of channel.'),
  'Types of channels to return.',
  ['public_channel'],
  { minItems: 1, uniqueItems: true, default: ['public_channel'] },
);

/** The response for a posted, changed or deleted message. */
export const POSTED = outputOf(
  {
    channel: text('ID of the channel.'),
    ts: text('Timestamp that identifies the message.'),
    message: object({}, 'The message as stored.', { open: true }),
  },
  ['channel', 'ts'],
);

export const ITEM_MESSAGE = object(
  {
    type: text('Type, such as `message`.'),
    user: text('ID of the author.'),
    text: text('Text of the message.'),
    ts: text('Timestamp that identifies the message.'),
    thread_ts: text('Timestamp of the first message of the thread.'),
  },
  'A message.',
  { open: true },
);

export const ITEM_CHANNEL = object(
  {
    id: text('ID of the channel.'),
    name: text('Name of the field.'),
    is_private: flag('Whether the channel is private.'),
    is_member: flag('Whether the app is a member.'),
    num_members: integer('Number of members.'),
  },
  'A channel.',
  { open: true },
);

export const ITEM_USER = object(
  {
    id: text('ID of the user.'),
    name: text('User name.'),
    real_name: text('Full name.'),
    deleted: flag('Whether the user is deactivated.'),
    is_bot: flag('Whether the user is a bot.'),
    profile: anyValue('Profile: email address, title, images and more.'),
  },
  'A user.',
  { open: true },
);
