import { anything, choice, flag, list, object, outputOf, record, text } from '../schemas';

/** Ids are written with or without dashes. */
const id = (title: string, description: string) =>
  text(title, description, '59833787-2cf9-4fdf-8782-e53db20768a5', { minLength: 32, maxLength: 36 });

export const PAGE_ID = id('Page', 'Id of the page.');
export const BLOCK_ID = id('Block', 'Id of the block; that of a page for what is in the page.');
export const DATABASE_ID = id('Database', 'Id of the database.');

export const TITLE = text('Title', 'What the page is called.', 'Weekly review', { maxLength: 2_000 });

export const CONTENT = {
  content: text('Text', 'Paragraphs, with an empty line between them.', 'First paragraph.\n\nSecond paragraph.', {
    maxLength: 100_000,
  }),
  blocks: list(
    object({}, 'Block', 'A block as the provider documents it.', { open: true }),
    'Blocks',
    'What comes behind the text.',
    [{ type: 'to_do', to_do: { rich_text: [{ text: { content: 'Call Ada' } }] } }],
    { maxItems: 100 },
  ),
} as const;

export const ICON = text('Icon', 'An emoji, or the address of an image.', '📦', { minLength: 1, maxLength: 2_000 });

export const PROPERTIES = record('Properties', 'As the provider documents them, by their names.', {
  Done: { checkbox: true },
});

export const VALUES = record(
  'Values',
  'Plain values by the names of the properties; the schema says what they become.',
  { Name: 'Order 4711', Price: 12.5, Tags: ['new'], Due: '2026-03-01', Done: false },
);

export const PAGE = outputOf(
  {
    id: text('Id', 'Id of the page.'),
    url: text('Link', 'Where people look at it.'),
    title: text('Title', 'What it is called.'),
    values: record('Values', 'Its properties as plain values, by their names.'),
    created_time: text('Created', 'When, as RFC 3339.'),
    last_edited_time: text('Changed', 'When, as RFC 3339.'),
    archived: flag('In the trash', 'Whether it is there.'),
    parent: anything('Parent', 'What it is in.'),
    properties: record('Properties', 'As the provider has them.'),
  },
  ['id'],
);

export const BLOCK = object(
  {
    id: text('Id', 'Id of the block.'),
    type: text('Type', 'Its kind, which is also the name of the member with its content.'),
    text: text('Text', 'What it says, without layout.'),
    has_children: flag('Has others in it', 'Whether there are.'),
  },
  'Block',
  'A block.',
  { open: true },
);

export const USER = object(
  {
    id: text('Id', 'Id of the user.'),
    name: text('Name', 'Their name.'),
    type: choice(['person', 'bot'], 'Kind', 'Person or machine.'),
  },
  'User',
  'A user.',
  { open: true },
);
