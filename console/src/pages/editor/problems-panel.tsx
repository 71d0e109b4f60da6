import type { ErrorDetail } from '../../api/client';
import { parsePath, pathText, placeAround, placesOf } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { Badge, EmptyState, SidePanel } from '../../ui';
import { CompletedIcon } from '../../ui/icon';
import { useEditor } from './editor-context';
import styles from './editor.module.css';

interface ProblemsPanelProps {
  readonly onClose: () => void;
  readonly onOpenStep: (key: string) => void;
}

/** Everything that the check has found; each leads to its step. */
export function ProblemsPanel({ onClose, onOpenStep }: ProblemsPanelProps) {
  const { state, problems } = useEditor();
  const places = placesOf(documentOf(state));
  const row = (detail: ErrorDetail, tone: 'danger' | 'warn') => {
    const place = placeAround(places, parsePath(detail.path));
    return (
      <button
        key={`${detail.path} ${detail.message}`}
        type="button"
        className={styles.problem}
        onClick={() => place !== undefined && onOpenStep(pathText(place.path))}
      >
        <span>
          <Badge tone={tone}>{place?.id ?? 'Workflow'}</Badge> {detail.message}
        </span>
        {detail.hint !== undefined && <span className="cell-muted">{detail.hint}</span>}
        <code>{detail.path}</code>
      </button>
    );
  };
  return (
    <SidePanel title="Problems" onClose={onClose}>
      {problems.errors.length + problems.warnings.length === 0 ? (
        <EmptyState icon={CompletedIcon} title="The workflow is valid">
          It can be published.
        </EmptyState>
      ) : (
        <div className={styles.problems}>
          {problems.errors.map((detail) => row(detail, 'danger'))}
          {problems.warnings.map((detail) => row(detail, 'warn'))}
        </div>
      )}
    </SidePanel>
  );
}
