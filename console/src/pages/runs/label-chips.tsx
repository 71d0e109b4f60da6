import { Link } from '@tanstack/react-router';
import { queryOfLabel } from '../../model/run-query';
import './label-chips.css';

interface LabelChipsProps {
  readonly labels: Readonly<Record<string, string>>;
  /** The query of the list that the chips are in. */
  readonly within?: string;
}

/** The labels of a run. A chip leads to the runs with the same label. */
export function LabelChips({ labels, within = '' }: LabelChipsProps) {
  return (
    <>
      {Object.entries(labels).map(([name, value]) => (
        <Link
          key={name}
          className="label-chip"
          to="/runs"
          search={{ q: queryOfLabel(name, value, within) }}
          title={`Runs with ${name} ${value}`}
        >
          <span className="label-name">{name}</span>
          <span className="label-value">{value}</span>
        </Link>
      ))}
    </>
  );
}
