import { setTimeout as sleep } from 'node:timers/promises';

/** Five steps, the last four of them reading the one before. */
const FIVE_STEPS = {
  id: 'five-steps',
  trigger: { type: 'http', config: {} },
  steps: [
    { id: 's1', type: 'set', config: { n: '{{ trigger.body.n }}' } },
    ...[2, 3, 4, 5].map((k) => ({ id: `s${k}`, type: 'set', config: { n: `{{ steps.s${k - 1}.n + 1 }}` } })),
  ],
};

interface Figures {
  readonly total: number;
  readonly completed: number;
  readonly running: number;
}

/** A tenant on the server under test. */
export class Tenant {
  private constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  static async register(url: string): Promise<Tenant> {
    const body = { tenant_slug: 'bench', tenant_name: 'Bench', email: 'bench@example.com', password: 'bench-password' };
    const { token } = (await request(url, null, 'POST', '/api/v1/auth/register', body)) as { token: string };
    return new Tenant(url, token);
  }

  /** Makes a workflow, with five steps unless others are given, and answers its id. */
  async workflow(name: string, steps: readonly object[] = FIVE_STEPS.steps, settings: object = {}): Promise<string> {
    const dsl = { ...FIVE_STEPS, steps, ...settings };
    const made = await request(this.url, this.token, 'POST', '/api/v1/workflows', { name, dsl });
    return (made as { id: string }).id;
  }

  /** Waits until no run of the workflow is under way. @throws Error when some still are after `withinMs` */
  async settled(workflowId: string, withinMs: number): Promise<Figures> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const figures = (await request(this.url, this.token, 'GET', `/api/v1/workflows/${workflowId}/health`)) as Figures;
      if (figures.running === 0) return figures;
      if (Date.now() > deadline) throw new Error(`${figures.running} runs had not ended after ${withinMs} ms`);
      await sleep(500);
    }
  }

  /** Starts a run; its id. */
  async start(workflowId: string): Promise<string> {
    const run = await request(this.url, this.token, 'POST', `/api/v1/workflows/${workflowId}/trigger`, {});
    return (run as { id: string }).id;
  }

  async cancel(executionId: string): Promise<void> {
    await request(this.url, this.token, 'POST', `/api/v1/executions/${executionId}/cancel`);
  }

  async signal(executionId: string, signal: string): Promise<void> {
    await request(this.url, this.token, 'POST', `/api/v1/executions/${executionId}/signal`, { signal });
  }

  /** Whether a run is not in memory, and waits. */
  async waits(executionId: string): Promise<boolean> {
    return (await this.waiting(executionId)).length > 0;
  }

  /** Since when each waiting step of a run waits. */
  async waiting(executionId: string): Promise<string[]> {
    const execution = await request(this.url, this.token, 'GET', `/api/v1/executions/${executionId}`);
    return (execution as { waiting: { since: string }[] }).waiting.map(({ since }) => since);
  }

  /** Makes a knowledge base without an embedding model; its id. */
  async knowledgeBase(name: string): Promise<string> {
    const made = await request(this.url, this.token, 'POST', '/api/v1/knowledge-bases', { name });
    return (made as { id: string }).id;
  }

  /** Adds a text to a base. @throws Error when it is not ready in the answer */
  async addText(baseId: string, text: string): Promise<void> {
    const path = `/api/v1/knowledge-bases/${baseId}/documents`;
    const { status } = (await request(this.url, this.token, 'POST', path, { text })) as { status: string };
    if (status !== 'ready') throw new Error(`A short text is ${status}`);
  }

  /** The body of an answer. */
  get(path: string): Promise<unknown> {
    return request(this.url, this.token, 'GET', path);
  }

  async status(executionId: string): Promise<string> {
    return (await this.execution(executionId)).status;
  }

  /** A run, as it is shown; times as ISO texts. */
  async execution(executionId: string): Promise<{ status: string; started_at: string; ended_at: string }> {
    const execution = await request(this.url, this.token, 'GET', `/api/v1/executions/${executionId}`);
    return execution as { status: string; started_at: string; ended_at: string };
  }
}

async function request(url: string, token: string | null, method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as unknown;
}
