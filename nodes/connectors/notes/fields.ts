import { anyValue, choice, filledText, flag, list, object, outputOf, record, text } from '../../schema';

/** Ids are written with or without dashes. */
const id = (description: string) =>
  text(description, '59833787-2cf9-4fdf-8782-e53db20768a5', { minLength: 32, maxLength: 36 });

export const PAGE_ID = id('Id of the page.');
export const BLOCK_ID = id('Id of the block; that of a page for what is in the page.');
export const DATABASE_ID = id('Id of the database.');

export const TITLE = text('What the page is called.', 'Weekly review', { maxLength: 2_000 });

export const CONTENT = {
  content: text('Paragraphs, with an empty line between them.', 'First paragraph.\n\nSecond paragraph.', {
    maxLength: 100_000,
  }),
  blocks: list(
    object({}, 'A block as the provider documents it.', { open: true }),
    'What comes behind the text.',
    [{ type: 'to_do', to_do: { rich_text: [{ text: { content: 'Call Ada' } }] } }],
    { maxItems: 100 },
  ),
} as const;

export const ICON = filledText('An emoji, or the address of an image.', '📦', { maxLength: 2_000 });

export const PROPERTIES = record('As the provider documents them, by their names.', {
  Done: { checkbox: true },
});

export const VALUES = record('Plain values by the names of the properties; the schema says what they become.', {
  Name: 'Order 4711',
  Price: 12.5,
  Tags: ['new'],
  Due: '2026-03-01',
  Done: false,
});

export const PAGE = outputOf(
  {
    id: text('Id of the page.'),
    url: text('Where people look at it.'),
    title: text('What it is called.'),
    values: record('Its properties as plain values, by their names.'),
    created_time: text('When, as RFC 3339.'),
    last_edited_time: text('When, as RFC 3339.'),
    archived: flag('Whether it is there.'),
    parent: anyValue('What it is in.'),
    properties: record('As the provider has them.'),
  },
  ['id'],
);

export const BLOCK = object(
  {
    id: text('Id of the block.'),
    type: text('Its kind, which is also the name of the member with its content.'),
    text: text('What it says, without layout.'),
    has_children: flag('Whether there are.'),
  },
  'A block.',
  { open: true },
);

export const USER = object(
  {
    id: text('Id of the user.'),
    name: text('Their name.'),
    type: choice(['person', 'bot'], 'Person or machine.'),
  },
  'A user.',
  { open: true },
);
