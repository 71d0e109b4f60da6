import type { JsonObject } from '../../../lib/json';
import { CANCEL } from '../../../runtime/core/state/state';
import { type Candidate, NEVER_MS, type PauseRequest } from '../../../runtime/core/model';
import type { HostStore } from '../../../runtime/ports/host-store';
import type { RunStore } from '../../../runtime/ports/run-store';
import { ending, execution, mail, ready, record, T0 } from '../../support/runtime/records';
import { claimOf, STORES, type Subject, take } from '../../support/runtime/stores';

const count = <T>(items: readonly T[], wanted: T): number => items.filter((item) => item === wanted).length;

describe.each(STORES)('%s', (_, open) => {
  let subject: Subject;
  let runs: RunStore;
  let hosts: HostStore;
  beforeAll(async () => {
    subject = await open();
    ({ runs, hosts } = subject);
  });
  beforeEach(() => subject.empty());
  afterAll(() => subject?.close());

  describe('insert and load', () => {
    it('returns every member unchanged', async () => {
      const odd: JsonObject = {
        $where: 1,
        'a.b': [null, true, 1.5, -0.001, '\u0000⟦', { '': 1 }],
        big: 9007199254740991,
      };
      const whole = execution('a', {
        trigger: odd,
        inputKey: 'body',
        retryOf: 'z',
        resumeFrom: { executionId: 'z', fromStep: 's' },
        parent: { executionId: 'p', path: 'call', awaited: true },
        depth: 1,
        concurrency: { group: 'g', key: 'k', limit: 2, onConflict: 'skip' },
        parked: true,
        cancelling: true,
        outbox: [{ kind: 'post', to: 'p', message: mail('m') }],
        requestId: 'r',
        deadlineAt: T0 + 5,
        wakeAt: T0,
        messageSeq: 3,
        waiting: [
          { step_id: null, kind: 'capacity', name: null, since: T0, until: null },
          {
            step_id: 's',
            kind: 'approval',
            name: 'approve-s',
            since: T0,
            until: T0 + 1,
            message: 'm',
            approvers: ['x'],
            form: { a: 1 },
          },
        ],
      });
      expect(await runs.insert(whole)).toBe('inserted');
      expect(await runs.load('a')).toEqual(whole);
      expect(await subject.others[0]?.load('a')).toEqual(whole);
      expect(await runs.load('b')).toBeNull();
    });

    it('changes nothing for an id that is known', async () => {
      await runs.insert(execution('a', { workflowName: 'first' }));
      expect(await runs.insert(execution('a', { workflowName: 'second' }))).toBe('exists');
      expect((await runs.load('a'))?.workflowName).toBe('first');
    });

    it('keeps a trigger of 20 MiB', async () => {
      const trigger = { text: 'ä'.repeat(10 * 1024 * 1024) };
      await runs.insert(execution('a', { trigger }));
      expect((await runs.load('a'))?.trigger.text).toBe(trigger.text);
    });

    it('lets one of many concurrent inserts of an id win', async () => {
      const stores = [runs, ...subject.others];
      const results = await Promise.all(
        Array.from({ length: 200 }, (_, n) =>
          (stores[n % 5] as RunStore).insert(execution(`r${n % 20}`, { requestId: String(n) })),
        ),
      );
      expect([count(results, 'inserted'), count(results, 'exists')]).toEqual([20, 180]);
      for (let n = 0; n < 20; n++) {
        const winner = results.findIndex((result, index) => result === 'inserted' && index % 20 === n);
        expect((await runs.load(`r${n}`))?.requestId).toBe(String(winner));
      }
    });

    it('stores a run that has ended already with the only record of its history', async () => {
      const ended = execution('a', { status: 'completed', endedAt: T0 + 1, owner: null, output: { v: 1 } });
      expect(await runs.insert(ended, record('a', 1))).toBe('inserted');
      expect(await runs.load('a')).toEqual(ended);
      expect(await runs.journal('a')).toEqual([record('a', 1)]);
      expect(await runs.insert(execution('a'), null)).toBe('exists');
    });
  });

  describe('the journal', () => {
    it('is empty, then in order, whole and from a position', async () => {
      expect(await runs.journal('a')).toEqual([]);
      for (const n of [1, 2, 3, 10, 11]) expect(await runs.append(record('a', n))).toEqual({ kind: 'appended' });
      await runs.append(record('b', 1));
      expect((await runs.journal('a')).map(({ n }) => n)).toEqual([1, 2, 3, 10, 11]);
      expect((await runs.journal('a', 3)).map(({ n }) => n)).toEqual([3, 10, 11]);
      expect((await runs.journal('a', 2, 2)).map(({ n }) => n)).toEqual([2, 3]);
      expect((await runs.journal('a'))[0]).toEqual(record('a', 1));
    });

    it('gives a position to one record, and returns its owner to the others', async () => {
      const stores = [runs, ...subject.others];
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          (stores[n % 5] as RunStore).append(record('a', 1, { epoch: n, host: `h${n}` })),
        ),
      );
      const winner = results.findIndex((result) => result.kind === 'appended');
      expect(results.filter((result) => result.kind === 'appended')).toHaveLength(1);
      expect(results.filter((_, n) => n !== winner)).toEqual(
        Array.from({ length: 49 }, () => ({ kind: 'taken', epoch: winner, host: `h${winner}` })),
      );
      expect(await runs.journal('a')).toEqual([record('a', 1, { epoch: winner, host: `h${winner}` })]);
    });

    it('keeps apart runs whose ids begin alike', async () => {
      await Promise.all(['a', 'a:', 'ab', 'a0'].map((id) => runs.append(record(id, 1))));
      expect((await runs.journal('ab')).map(({ executionId }) => executionId)).toEqual(['ab']);
      expect((await runs.journal('a0')).map(({ executionId }) => executionId)).toEqual(['a0']);
    });

    it('takes a record of a MiB', async () => {
      const json = JSON.stringify([{ kind: 'step.skipped', path: '€'.repeat(350_000), at: 0 }]);
      await runs.append(record('a', 1, { json }));
      expect((await runs.journal('a'))[0]?.json).toBe(json);
    });
  });

  describe('end', () => {
    it('writes the end, frees the run, and stores the last record with it', async () => {
      await runs.insert(
        execution('a', { waiting: [{ step_id: 's', kind: 'timer', name: null, since: T0, until: null }] }),
      );
      await runs.append(record('a', 1));
      const last = ending({
        status: 'failed',
        output: { v: [1] },
        error: { code: 'c', message: 'm', step_id: 's' },
        response: { status: 200, headers: {}, body: 'x' },
        steps: 3,
        tokens: 7,
        costUsd: 0.25,
      });
      expect(await runs.end(claimOf('a'), last, record('a', 2))).toBe(true);
      const { startedAt: _, ...written } = last;
      expect(await runs.load('a')).toEqual(execution('a', { ...written, waiting: [], owner: null, wakeAt: null }));
      expect((await runs.journal('a')).map(({ n }) => n)).toEqual([1, 2]);
      expect(await runs.journal('a', 2)).toEqual([record('a', 2)]);
      expect(await runs.nextWake(T0)).toBeNull();
    });

    it('sent again by its owner, who never got the answer, is the same end', async () => {
      await runs.insert(execution('a'));
      await runs.end(claimOf('a'), ending(), null);
      expect(await runs.end(claimOf('a'), ending(), null)).toBe(true);
      expect((await runs.load('a'))?.status).toBe('completed');
    });

    it.each(['before', 'after'])('is the last of the history, though a zombie appends %s it', async (when) => {
      await runs.insert(execution('a', { epoch: 2 }));
      await runs.append(record('a', 1));
      const late = async (): Promise<void> => {
        for (const n of [2, 3]) await runs.append(record('a', n, { host: 'zombie' }));
      };
      if (when === 'before') await late();
      expect(await runs.end(claimOf('a', 'h1', 2), ending(), record('a', 2, { epoch: 2 }))).toBe(true);
      if (when === 'after') await late();
      expect(await runs.journal('a')).toEqual([record('a', 1), record('a', 2, { epoch: 2 })]);
      expect(await runs.journal('a', 3)).toEqual([]);
    });

    it('is refused after a lost claim, and without a claim', async () => {
      await runs.insert(ready('a'));
      const [claimed] = await take(runs, 'h2', T0, 1);
      expect(claimed).toMatchObject({ id: 'a', epoch: 1 });
      for (const claim of [claimOf('a', 'h1', 0), claimOf('a', 'h2', 0), claimOf('a', 'h1', 1), claimOf('none')])
        expect(await runs.end(claim, ending(), record('a', 1))).toBe(false);
      expect(await runs.load('a')).toMatchObject({ status: 'running', owner: 'h2' });
      expect(await runs.journal('a')).toEqual([]);
    });

    it('after an adoption is refused to the host that was thought dead', async () => {
      await hosts.register({ id: 'h1', nodeId: 'n', version: 'v', capacity: 1 }, 1);
      await runs.insert(execution('a'));
      await subject.lapse(1);
      await hosts.register({ id: 'h2', nodeId: 'n', version: 'v', capacity: 1 }, 60_000);
      expect(await hosts.expireHosts('h2', T0, false)).toMatchObject({ runs: 1 });
      await take(runs, 'h2', T0, 10);
      expect(await runs.end(claimOf('a'), ending(), null)).toBe(false);
      expect(await runs.release(claimOf('a'), { messageSeq: 0, wakeAt: T0, waiting: [] })).toBe('lost');
      expect(await runs.load('a')).toMatchObject({ owner: 'h2', epoch: 2, status: 'running' });
    });

    it('of many runs at once, of which one claim is lost, fails for that one alone', async () => {
      for (let n = 0; n < 40; n++) await runs.insert(execution(`r${n}`, n === 17 ? { epoch: 2 } : {}));
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, n) => runs.end(claimOf(`r${n}`), ending(), null)),
      );
      expect(results.flatMap((result, n) => (result ? [] : [n]))).toEqual([17]);
      expect((await runs.load('r17'))?.status).toBe('running');
      expect((await runs.load('r18'))?.status).toBe('completed');
    });

    it('keeps outputs and responses of 20 MiB', async () => {
      await runs.insert(execution('a'));
      const text = 'x'.repeat(20 * 1024 * 1024);
      expect(await runs.end(claimOf('a'), ending({ output: { text }, response: { body: text } }), null)).toBe(true);
      const loaded = await runs.load('a');
      expect((loaded?.output as JsonObject | undefined)?.text).toBe(text);
      expect(loaded?.response?.body).toBe(text);
    });
  });

  describe('release', () => {
    const waiting = [{ step_id: 's', kind: 'signal', name: 'go', since: T0, until: null }] as const;

    it('gives a run up, and says what it waits for', async () => {
      await runs.insert(execution('a'));
      expect(await runs.release(claimOf('a'), { messageSeq: 0, wakeAt: T0 + 9, waiting })).toBe('released');
      expect(await runs.load('a')).toMatchObject({ owner: null, wakeAt: T0 + 9, waiting, epoch: 1 });
      expect(await runs.nextWake(T0)).toBe(T0 + 9);
    });

    it('can wait without a limit', async () => {
      await runs.insert(execution('a'));
      await runs.release(claimOf('a'), { messageSeq: 0, wakeAt: NEVER_MS, waiting });
      expect(await take(runs, 'h2', T0 + 1e12, 10)).toEqual([]);
      await runs.addMessage('a', mail('m'), T0);
      expect(await take(runs, 'h2', T0, 10)).toHaveLength(1);
    });

    it('stores the deadline of the cleanup, and keeps it when none is given', async () => {
      await runs.insert(execution('a', { deadlineAt: T0 + 1 }));
      await runs.release(claimOf('a'), { messageSeq: 0, wakeAt: T0, waiting: [], cleanupDeadline: T0 + 50 });
      expect(await runs.load('a')).toMatchObject({ cleanupDeadline: T0 + 50, deadlineAt: T0 + 1 });
      await take(runs, 'h1', T0, 1);
      await runs.release(claimOf('a', 'h1', 2), { messageSeq: 0, wakeAt: T0, waiting });
      expect(await runs.load('a')).toMatchObject({ cleanupDeadline: T0 + 50, owner: null });
    });

    it('ends the count of claims, unless the activation failed', async () => {
      await runs.insert(execution('a', { claims: 1 }));
      await runs.release(claimOf('a'), { messageSeq: 0, wakeAt: T0, waiting, failed: true });
      expect(await runs.load('a')).toMatchObject({ claims: 1 });
      expect(await take(runs, 'h1', T0, 1)).toMatchObject([{ claims: 2 }]);
      await runs.release(claimOf('a', 'h1', 2), { messageSeq: 0, wakeAt: T0, waiting });
      expect(await runs.load('a')).toMatchObject({ claims: 0 });
      expect(await take(runs, 'h1', T0, 1)).toMatchObject([{ claims: 1 }]);
    });

    it('is not needed for the count of claims to end, as long as the claim stands', async () => {
      await runs.insert(execution('a', { claims: 2 }));
      await runs.insert(execution('b', { claims: 2, epoch: 2 }));
      await runs.resetClaims([claimOf('a'), claimOf('b'), claimOf('none')]);
      expect(await runs.load('a')).toMatchObject({ claims: 0, owner: 'h1' });
      expect(await runs.load('b')).toMatchObject({ claims: 2 });
    });

    it('does nothing while a message has not been seen', async () => {
      await runs.insert(execution('a'));
      await runs.addMessage('a', mail('m'), T0);
      expect(await runs.release(claimOf('a'), { messageSeq: 0, wakeAt: T0, waiting })).toBe('new_message');
      expect(await runs.load('a')).toMatchObject({ owner: 'h1', wakeAt: null, waiting: [] });
      expect(await runs.release(claimOf('a'), { messageSeq: 1, wakeAt: T0, waiting })).toBe('released');
    });

    it('is refused after the end, from another owner, and for a run that is not there', async () => {
      await runs.insert(execution('a'));
      await runs.end(claimOf('a'), ending(), null);
      for (const claim of [claimOf('a'), claimOf('a', 'h2'), claimOf('none')])
        expect(await runs.release(claim, { messageSeq: 0, wakeAt: T0, waiting })).toBe('lost');
    });

    it('hammered with messages loses none: each is seen before, or wakes the run after', async () => {
      const ids = Array.from({ length: 60 }, (_, n) => `r${n}`);
      await Promise.all(ids.map((id) => runs.insert(execution(id))));
      const sender = subject.others[0] as RunStore;
      const outcomes = await Promise.all(
        ids.map(async (id) => {
          const [released, posted] = await Promise.all([
            runs.release(claimOf(id), { messageSeq: 0, wakeAt: NEVER_MS, waiting: [] }),
            sender.addMessage(id, mail('m'), T0),
          ]);
          return { id, released, posted };
        }),
      );
      for (const { id, released, posted } of outcomes) {
        const row = await runs.load(id);
        expect(posted.kind).toBe('posted');
        expect(row?.messageSeq).toBe(1);
        expect(released === 'released' ? row?.wakeAt : row?.owner).toBe(released === 'released' ? T0 : 'h1');
        expect(['released', 'new_message']).toContain(released);
      }
    });
  });

  describe('messages', () => {
    it('stores a message, counts it, and leaves the owner his run', async () => {
      await runs.insert(execution('a'));
      const sent = mail('m', { data: { $x: { 'a.b': 1 } }, by: 'ann' });
      expect(await runs.addMessage('a', sent, T0)).toEqual({ kind: 'posted', owner: 'h1', due: null });
      expect(await runs.load('a')).toMatchObject({ messageSeq: 1, wakeAt: null, owner: 'h1' });
      expect(await runs.messages('a')).toEqual({ messages: [sent], pause: null, messageSeq: 1 });
      expect(await runs.findMessage('a', sent.id)).toEqual(sent);
      expect(await runs.findMessage('b', sent.id)).toBeNull();
      expect(await runs.findMessage('a', 'another')).toBeNull();
      expect(await runs.messages('b')).toEqual({ messages: [], pause: null, messageSeq: 0 });
    });

    it('makes an unowned run due, never later than it already was', async () => {
      await runs.insert(ready('a', T0 + 100));
      const posted = await runs.addMessage('a', mail('m'), T0);
      expect(posted).toEqual({ kind: 'posted', owner: null, due: (await runs.due(T0, 1))[0] });
      expect((await runs.load('a'))?.wakeAt).toBe(T0);
      await runs.addMessage('a', mail('n'), T0 + 50);
      expect((await runs.load('a'))?.wakeAt).toBe(T0);
    });

    it('returns a waiting run as a candidate, but no parked one that is not cancelled', async () => {
      await runs.insert(ready('a', T0 - 5, { deadlineAt: T0 + 1_000 }));
      await runs.insert(ready('b', T0 - 5));
      await runs.park(await runs.due(T0, 10), T0);
      expect(await runs.addMessage('a', mail('m'), T0)).toMatchObject({ kind: 'posted', due: null });
      const cancelled = await runs.addMessage('b', mail(CANCEL, { name: CANCEL }), T0);
      expect(cancelled).toMatchObject({ kind: 'posted', due: { id: 'b', cancelling: true, parked: false, since: T0 } });
      const due = (cancelled as Extract<typeof cancelled, { kind: 'posted' }>).due as Candidate;
      expect(await runs.claim('h2', [due])).toMatchObject([{ id: 'b', owner: 'h2' }]);
    });

    it('answers a repeat with the first one, and wakes the run for it once more', async () => {
      await runs.insert(ready('a', T0 + 100));
      await runs.addMessage('a', mail('m', { data: { v: 1 } }), T0 + 90);
      expect(await runs.addMessage('a', mail('m', { data: { v: 2 } }), T0)).toEqual({
        kind: 'known',
        message: mail('m', { data: { v: 1 } }),
        owner: null,
      });
      expect(await runs.load('a')).toMatchObject({ messageSeq: 2, wakeAt: T0 });
      expect((await runs.messages('a')).messages).toHaveLength(1);
    });

    it('lets one of two senders of an id win, however they race', async () => {
      await runs.insert(execution('a'));
      const stores = [runs, ...subject.others];
      const posted = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          (stores[n % 5] as RunStore).addMessage('a', mail('m', { data: { n } }), T0),
        ),
      );
      const winners = posted.flatMap(({ kind }, n) => (kind === 'posted' ? [n] : []));
      expect(winners).toHaveLength(1);
      const known = posted.flatMap((answer) => (answer.kind === 'known' ? [answer.message.data.n] : []));
      expect(new Set(known)).toEqual(new Set(winners));
    });

    it('stores nothing for a run that has ended or never was, but still knows what came before', async () => {
      await runs.insert(execution('a'));
      await runs.addMessage('a', mail('before'), T0);
      await runs.end(claimOf('a'), ending(), null);
      expect(await runs.addMessage('a', mail('m'), T0)).toEqual({ kind: 'ended' });
      expect(await runs.addMessage('none', mail('m'), T0)).toEqual({ kind: 'absent' });
      expect(await runs.addMessage('a', mail('before'), T0)).toMatchObject({ kind: 'known' });
      expect((await runs.messages('a')).messages.map(({ id }) => id)).toEqual(['before']);
      expect((await runs.messages('none')).messages).toEqual([]);
    });

    it('counts what users send, once each, and not what the service sends itself', async () => {
      await runs.insert(execution('counted'));
      for (const id of ['m', 'm', 'n']) await runs.addMessage('counted', mail(id), T0);
      await runs.addMessage('counted', mail('$child:x', { name: '$child:x' }), T0);
      expect(await runs.load('counted')).toMatchObject({ signals: 2, messageSeq: 4 });
    });

    it('counts again what no step has consumed, and stores the count unless more has come', async () => {
      await runs.insert(execution('again'));
      for (const id of ['a', 'b', 'c']) await runs.addMessage('again', mail(id), T0);
      await runs.addMessage('again', mail('$child:x', { name: '$child:x' }), T0);
      await runs.markConsumed('again', ['a', 'b']);
      expect(await runs.recountSignals('again', 2)).toBe(1);
      expect(await runs.load('again')).toMatchObject({ signals: 3 });
      expect(await runs.recountSignals('again', 3)).toBe(1);
      expect(await runs.load('again')).toMatchObject({ signals: 1 });
      expect(await runs.recountSignals('none', 0)).toBe(0);
    });

    it('does not give messages that are marked as taken, but still knows them', async () => {
      await runs.insert(execution('marked'));
      for (const id of ['a', 'b', 'c']) await runs.addMessage('marked', mail(id), T0);
      await runs.markConsumed('marked', ['a', 'c']);
      expect((await runs.messages('marked')).messages.map(({ id }) => id)).toEqual(['b']);
      expect((await runs.openRun('marked')).messages.map(({ id }) => id)).toEqual(['b']);
      expect((await runs.addMessage('marked', mail('a'), T0)).kind).toBe('known');
    });

    it('opens a run from a position on', async () => {
      await runs.insert(execution('opened'));
      for (const n of [1, 2, 3]) await runs.append(record('opened', n));
      expect((await runs.openRun('opened', 3)).records.map(({ n }) => n)).toEqual([3]);
      expect((await runs.openRun('opened', 4)).records).toEqual([]);
    });

    it('gives messages in the order of their times, then ids', async () => {
      await runs.insert(execution('a'));
      for (const [id, at] of [
        ['z', 1],
        ['b', 2],
        ['a', 2],
        ['y', 0],
      ] as const)
        await runs.addMessage('a', mail(id, { at: T0 + at }), T0);
      expect((await runs.messages('a')).messages.map(({ id }) => id)).toEqual(['y', 'z', 'a', 'b']);
    });
  });

  describe('requests to pause and resume', () => {
    const request = (kind: PauseRequest['kind'], rev: number): PauseRequest => ({
      kind,
      rev,
      at: T0 + rev,
      by: 'ann',
      reason: rev === 1 ? 'look' : null,
    });

    it('are counted as messages, and stay with the run when a host claims it', async () => {
      await runs.insert(ready('p', T0 + 100));
      const posted = await runs.requestPause('p', request('pause', 1), T0);
      expect(posted).toEqual({ kind: 'posted', owner: null, due: (await runs.due(T0, 1))[0] });
      expect(await runs.load('p')).toMatchObject({ pause: request('pause', 1), messageSeq: 1, wakeAt: T0, signals: 0 });
      expect(await runs.messages('p')).toEqual({ messages: [], pause: request('pause', 1), messageSeq: 1 });
      const [claimed] = await runs.claim('h2', await runs.due(T0, 1));
      expect(claimed).toMatchObject({ id: 'p', owner: 'h2', pause: request('pause', 1) });
      expect(await runs.requestPause('p', request('resume', 2), T0)).toEqual({
        kind: 'posted',
        owner: 'h2',
        due: null,
      });
      const claim = { id: 'p', host: 'h2', epoch: 1 };
      const to = { wakeAt: NEVER_MS, waiting: [] };
      expect(await runs.release(claim, { ...to, messageSeq: 1 })).toBe('new_message');
      expect(await runs.release(claim, { ...to, messageSeq: 2 })).toBe('released');
      expect(await runs.load('p')).toMatchObject({ pause: request('resume', 2), wakeAt: NEVER_MS });
    });

    it('change nothing when another one came before, or when they come late', async () => {
      await runs.insert(execution('p'));
      expect(await runs.requestPause('p', request('pause', 2), T0)).toEqual({ kind: 'refused' });
      const stores = [runs, ...subject.others];
      const posted = await Promise.all(
        Array.from({ length: 10 }, (_, n) => (stores[n % 5] as RunStore).requestPause('p', request('pause', 1), T0)),
      );
      expect(posted.filter(({ kind }) => kind === 'posted')).toHaveLength(1);
      await runs.requestPause('p', request('resume', 2), T0);
      expect(await runs.requestPause('p', request('pause', 1), T0)).toEqual({ kind: 'refused' });
      expect(await runs.load('p')).toMatchObject({ pause: { kind: 'resume' }, messageSeq: 2 });
    });

    it('do not make a parked run due for a host, but count', async () => {
      await runs.insert(ready('p', T0 - 5, { deadlineAt: T0 + 1_000 }));
      await runs.park(await runs.due(T0, 10), T0);
      expect(await runs.requestPause('p', request('pause', 1), T0)).toMatchObject({ kind: 'posted', due: null });
    });

    it('are refused and forgotten once the run is cancelled, cleans up or has ended', async () => {
      for (const id of ['cancelled', 'closing', 'ended']) {
        await runs.insert(execution(id));
        await runs.requestPause(id, request('pause', 1), T0);
      }
      await runs.addMessage('cancelled', mail(CANCEL, { name: CANCEL }), T0);
      await runs.release(claimOf('closing'), { messageSeq: 1, wakeAt: T0, waiting: [], cleanupDeadline: T0 + 9 });
      await runs.end(claimOf('ended'), ending(), null);
      for (const id of ['cancelled', 'closing', 'ended', 'none']) {
        expect(await runs.requestPause(id, request('resume', 2), T0)).toEqual({ kind: 'refused' });
        expect(await runs.requestPause(id, request('pause', 1), T0)).toEqual({ kind: 'refused' });
      }
      for (const id of ['cancelled', 'closing']) expect((await runs.load(id))?.pause).toBeNull();
    });
  });

  describe('payloads', () => {
    it('come back by their hashes, whole, however often they were put', async () => {
      const big = JSON.stringify('ß€😀'.repeat(2_000_000));
      await Promise.all([
        runs.putPayload('a', 'h1', big),
        runs.putPayload('a', 'h1', big),
        runs.putPayload('a', 'h2', '""'),
      ]);
      await runs.putPayload('a', 'h1', big);
      const found = await runs.getPayloads('a', ['h1', 'h2', 'h3', 'h1']);
      expect([...found.keys()].sort()).toEqual(['h1', 'h2']);
      expect(found.get('h1') === big).toBe(true);
      expect(await runs.getPayloads('b', ['h1'])).toEqual(new Map());
    });
  });
});
