import type { NodeCase } from '../node-case';

export const cases: NodeCase[] = [
  {
    title: 'starts a workflow and waits for its end',
    input: { workflow: 'order-intake', input: { order: 7 } },
    outcome: { kind: 'start_child', workflow: 'order-intake', input: { order: 7 }, wait: true },
  },
  {
    title: 'starts one and goes on, with nothing as its input',
    input: { workflow: 'order-intake', wait: false },
    outcome: { kind: 'start_child', workflow: 'order-intake', input: {}, wait: false },
  },
];
