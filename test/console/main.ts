/**
 * `npm run test:console`: the console in a browser, against a server of its own. Names after `--` pick scenarios, CONSOLE_PAGES=home,runs pages.
 * Screenshots of every page are in test/console/screenshots.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { hasChromium, openBrowser } from './browser';
import { SCENARIOS } from './scenarios';

// Each account of the tests registers from an address of its own: registrations from one address are limited.
const SERVER_ENV = { EGRESS_ALLOW: 'localhost, 127.0.0.1', RATE_LIMIT: 'off', TRUST_PROXY: '127.0.0.0/8, ::1' };

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
  const start = (): Promise<ServerProcess> => startServer({ dataDir, port, env: SERVER_ENV, withinMs: 60_000 });
  let server = await start();
  const browser = await openBrowser();
  const failed: string[] = [];
  try {
    for (const [name, scenario] of wanted) {
      const began = Date.now();
      const restart = async (): Promise<void> => {
        await server.kill();
        server = await start();
      };
      const error = await scenario({ browser, url: server.url, dataDir, restart }).then(
        () => null,
        (fault: unknown) => fault,
      );
      console.log(`${error === null ? 'ok    ' : 'FAILED'}  ${name} (${Date.now() - began} ms)`);
      if (error !== null) {
        failed.push(name);
        console.log(error instanceof Error ? error.stack : error);
      }
    }
  } finally {
    await browser.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
  if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
