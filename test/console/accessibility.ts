import axe from 'axe-core';
import type { Page } from 'playwright-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Violations that axe finds on the page as it is now, one line each. Runs outside of the page's policy. */
export async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    return await violationsBy(session);
  } finally {
    await session.detach();
  }
}

/** The same by a session that is open: the end of another one would remove the authenticators of the page. */
export async function violationsBy(session: Session): Promise<string[]> {
  const { executionContextId } = await isolatedWorld(session);
  const run = (expression: string) =>
    session.send('Runtime.evaluate', {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
  await run(`${axe.source}; undefined`);
  const { result, exceptionDetails } = await run(
    `axe.run(document, ${JSON.stringify({ runOnly: TAGS, resultTypes: ['violations'] })}).then(({ violations }) =>
      violations.flatMap(({ id, help, nodes }) =>
        nodes.map(({ target, failureSummary }) => id + ': ' + help + ' at ' + target.join(' ') + ' (' + failureSummary.replace(/\\s+/g, ' ') + ')')))`,
  );
  if (exceptionDetails !== undefined) throw new Error(`axe failed: ${exceptionDetails.exception?.description}`);
  return result.value as string[];
}

type Session = Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>;

async function isolatedWorld(session: Session): Promise<{ executionContextId: number }> {
  const { frameTree } = await session.send('Page.getFrameTree');
  return session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'axe' });
}
