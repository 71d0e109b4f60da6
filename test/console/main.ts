/**
 * `npm run test:console`: the console in a browser, against a server of its own. Names after `--` pick scenarios, CONSOLE_PAGES=home,runs pages.
 * Screenshots of every page are in test/console/screenshots.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLlmServer } from '../support/llm-server';
import { buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { hasChromium, openBrowser } from './browser';
import { SCENARIOS } from './scenarios';
import { OPERATOR } from './system-scenarios';
import { replyInPieces } from './slow-model';

// Each account of the tests registers from an address of its own: registrations from one address are limited.
const SERVER_ENV = {
  EGRESS_ALLOW: 'localhost, 127.0.0.1',
  RATE_LIMIT: 'off',
  TRUST_PROXY: '127.0.0.0/8, ::1',
  OPERATORS: OPERATOR,
};

/** A model that answers with what the last request of a user asks it to answer, after the word `Answer`; `slowly`: in pieces. */
const startModel = () =>
  startLlmServer(({ body }) => {
    const messages = (body.messages ?? []) as { readonly role: string; readonly content: unknown }[];
    const texts = messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
    if (/\bslowly$/.test(texts.at(-1) ?? ''))
      return { kind: 'pieces', pieces: replyInPieces(messages.filter(({ role }) => role === 'user').length) };
    return { kind: 'text', text: /\bAnswer (\{.*\})/s.exec(texts.at(-1) ?? '')?.[1] ?? 'I have nothing to say.' };
  });

type Scenario = (typeof SCENARIOS)[string];

/** With more failures than these, none is tried again. */
const MAX_SECOND_TRIES = 3;

async function main(): Promise<void> {
  if (!hasChromium()) {
    console.warn(
      'SKIPPED: /usr/bin/chromium is missing, so no page of the console was tested; install chromium, or set CHROMIUM',
    );
    return;
  }
  const names = process.argv.slice(2).filter((name) => name !== '--');
  const wanted = Object.entries(SCENARIOS).filter(([name]) => names.length === 0 || names.includes(name));
  if (wanted.length === 0) throw new Error(`No such scenario; there are: ${Object.keys(SCENARIOS).join(', ')}`);
  buildOnce();
  const dataDir = mkdtempSync(join(tmpdir(), 'everstep-console-'));
  const port = await freePort();
  const model = await startModel();
  const env = {
    ...SERVER_ENV,
    LLM_OPENAI_COMPATIBLE_BASE_URL: model.baseUrl.openai,
    LLM_OPENAI_COMPATIBLE_MODEL: 'answers',
  };
  const start = (): Promise<ServerProcess> => startServer({ dataDir, port, env, withinMs: 60_000 });
  let server = await start();
  const browser = await openBrowser();
  const failed: string[] = [];
  const restart = async (): Promise<void> => {
    await server.kill();
    server = await start();
  };
  /** Null when the scenario passed. */
  const failureOf = async (name: string, scenario: Scenario): Promise<unknown> => {
    const began = Date.now();
    const fault = await scenario({ browser, url: server.url, dataDir, restart }).then(
      () => null,
      (error: unknown) => error ?? new Error('It was rejected without a reason'),
    );
    console.log(`${fault === null ? 'ok    ' : 'FAILED'}  ${name} (${Date.now() - began} ms)`);
    if (fault !== null) console.log(fault instanceof Error ? fault.stack : fault);
    return fault;
  };
  try {
    for (const [name, scenario] of wanted) {
      if ((await failureOf(name, scenario)) !== null) failed.push(name);
    }
    // Scenarios wait for a browser, which can take longer than they allow on a busy machine.
    for (const name of failed.length > MAX_SECOND_TRIES ? [] : [...failed]) {
      console.log(`        second try of ${name}`);
      if ((await failureOf(name, SCENARIOS[name] as Scenario)) === null) failed.splice(failed.indexOf(name), 1);
    }
  } finally {
    await browser.close();
    await server.stop();
    await model.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
