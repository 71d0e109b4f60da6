import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type EvaluationDetail } from '../../api/client';
import { formatScore, isActive } from '../../model/evaluations';
import { ActionList, Button, ConfirmDialog, IconButton, Popover, Select, toast, toastError } from '../../ui';
import { DeleteIcon, MoreIcon, RetryIcon, StopIcon } from '../../ui/icon';
import { sameDatasetQuery } from './queries';

/** What can be done with an evaluation. */
export function EvaluationActions({ evaluation }: { readonly evaluation: EvaluationDetail }) {
  const { id, name } = evaluation;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const [busy, setBusy] = useState(false);
  const act = (work: () => Promise<unknown>, done: string): void => {
    setBusy(true);
    work()
      .then(async () => {
        toast(done);
        await client.invalidateQueries({ queryKey: ['evaluations'] });
      })
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  if (isActive(evaluation))
    return (
      <Button
        edits
        icon={StopIcon}
        busy={busy}
        onClick={() => act(() => api.evaluations.cancel({ id }), 'It is being cancelled')}
      >
        Cancel
      </Button>
    );
  const actions = [
    {
      edits: true,
      label: 'Run what failed again',
      icon: RetryIcon,
      onSelect: () => act(() => api.evaluations.rerun_failed({ id }), 'The rows run again'),
    },
    { edits: true, label: 'Delete', icon: DeleteIcon, danger: true, onSelect: () => setDeleting(true) },
  ];
  return (
    <>
      <CompareWith evaluation={evaluation} />
      <Popover
        label={`Actions of ${name}`}
        align="end"
        trigger={(props) => <IconButton {...props} icon={MoreIcon} kind="secondary" label={`Actions of ${name}`} />}
      >
        {(close) => <ActionList close={close} actions={actions} />}
      </Popover>
      {deleting && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the evaluation"
          danger
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await api.evaluations.remove({ id });
            await navigate({ to: '/evaluations' });
            await client.invalidateQueries({ queryKey: ['evaluations'] });
          }}
        >
          Its scores are deleted. The runs and the data set stay.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Another evaluation over the same data set, to compare with. */
function CompareWith({ evaluation }: { readonly evaluation: EvaluationDetail }) {
  const { id, dataset_id } = evaluation;
  const navigate = useNavigate();
  const { data } = useQuery(sameDatasetQuery(dataset_id));
  const others = (data?.data ?? []).filter((each) => each.id !== id);
  if (others.length === 0) return null;
  const options = [
    { value: '', label: 'Compare with…' },
    ...others.map((each) => ({ value: each.id, label: `${each.name} (${formatScore(each.summary.score)})` })),
  ];
  return (
    <Select
      aria-label="Compare with"
      options={options}
      value=""
      onChange={({ currentTarget: { value: other } }) => {
        // The older one is the base of the comparison.
        const isOlder = (others.find((each) => each.id === other)?.created_at ?? '') < evaluation.created_at;
        const params = isOlder ? { id: other, other: id } : { id, other };
        void navigate({ to: '/evaluations/$id/compare/$other', params });
      }}
    />
  );
}
