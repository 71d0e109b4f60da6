import { command } from '../command';

/** Path of the server's documentation page. */
const PAGE = '/docs';

/** Prints the URL of the server's page, and opens it in a browser on a terminal. */
export const open = command({
  name: 'open',
  summary: "Prints the address of the server's page, and opens it in a browser",
  options: { print: { type: 'boolean', help: 'only prints it' } },
  notes: ['A browser is opened only where the output is a terminal.'],
  async run({ options, session }) {
    const { world } = session;
    const url = `${session.profile().url}${PAGE}`;
    session.answer({ url }, () => world.out.line(url));
    if (!options.print && !session.json && world.out.isLive) world.browse(url);
    return 'ok';
  },
});
