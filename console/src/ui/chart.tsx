import { type Bar, linePoints, niceMax, stack, totalOf } from '../model/chart';
import { formatCompact, formatCount } from '../model/format';
import type { Tone } from '../model/status';
import './chart.css';
import { classes } from './classes';

interface Series {
  readonly label: string;
  readonly tone: Tone;
}

interface StackedBarsProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly bars: readonly Bar[];
  /** Every so many bars have their label below. */
  readonly labelEvery?: number;
}

const VIEW = { width: 960, height: 120 } as const;

/** Bars over time, stacked by series, with a legend of totals and a table for screen readers. */
export function StackedBars({ label, series, bars, labelEvery = 4 }: StackedBarsProps) {
  const max = niceMax(Math.max(...bars.map(totalOf), 0));
  const slot = VIEW.width / Math.max(1, bars.length);
  return (
    <figure className="chart" aria-label={label}>
      <figcaption className="chart-legend">
        {series.map(({ label: name, tone }, index) => (
          <span key={name} className="chart-key">
            <span className={classes('chart-dot', `fill-${tone}`)} aria-hidden="true" />
            {name}
            <strong>{formatCount(bars.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))}</strong>
          </span>
        ))}
      </figcaption>
      <div className="chart-plot" aria-hidden="true">
        <span className="chart-max">{formatCompact(max)}</span>
        <svg viewBox={`0 0 ${VIEW.width} ${VIEW.height}`} preserveAspectRatio="none">
          {[0, 0.5, 1].map((share) => (
            <line
              key={share}
              className="chart-grid"
              x1="0"
              x2={VIEW.width}
              y1={VIEW.height * share}
              y2={VIEW.height * share}
            />
          ))}
          {stack(bars, { ...VIEW, gap: slot * 0.25 }).map(({ series: at, x, y, width, height }) => (
            <rect key={`${x} ${at}`} className={`fill-${series[at]?.tone ?? 'neutral'}`} {...{ x, y, width, height }} />
          ))}
          {bars.map((bar, index) => (
            <rect key={bar.label} className="chart-hit" x={index * slot} y={0} width={slot} height={VIEW.height}>
              <title>{titleOf(bar, series)}</title>
            </rect>
          ))}
        </svg>
        <div className="chart-axis">
          {bars.map(({ label: text }, index) => (
            <span key={text}>{index % labelEvery === 0 ? text : ''}</span>
          ))}
        </div>
      </div>
      <table className="visually-hidden">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th>Time</th>
            {series.map(({ label: name }) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map(({ label: text, values }) => (
            <tr key={text}>
              <th>{text}</th>
              {series.map(({ label: name }, index) => (
                <td key={name}>{values[index] ?? 0}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

const titleOf = ({ label, values }: Bar, series: readonly Series[]): string =>
  [label, ...series.flatMap(({ label: name }, at) => (values[at] ? [`${name}: ${formatCount(values[at])}`] : []))].join(
    '\n',
  );

/** The course of a value in the height of a text. */
export function SparkLine({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  return (
    <svg className="spark-line" viewBox="-1 -1 82 22" role="img" aria-label={label}>
      <polyline points={linePoints(values, 80, 20)} />
    </svg>
  );
}

interface OutcomeBarsProps {
  /** The oldest first. */
  readonly outcomes: readonly { readonly status: string; readonly tone: Tone }[];
  readonly label: string;
}

/** The last runs of a workflow, one small bar each. */
export function OutcomeBars({ outcomes, label }: OutcomeBarsProps) {
  return (
    <svg className="outcome-bars" viewBox={`0 0 ${Math.max(1, outcomes.length) * 6} 16`} role="img" aria-label={label}>
      {outcomes.map(({ tone }, index) => (
        <rect key={index} className={`fill-${tone}`} x={index * 6} y={0} width={4} height={16} rx={1} />
      ))}
    </svg>
  );
}

interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly format?: (value: number) => string;
  /** For progress, which is not a limit; else by how much is used. */
  readonly tone?: Tone;
}

/** How much of a limit is used. */
export function Meter({ label, value, max, format = formatCount, tone: fixed }: MeterProps) {
  const share = max === 0 ? 1 : Math.min(1, value / max);
  const tone = fixed ?? (share >= 1 ? 'danger' : share >= 0.8 ? 'warn' : 'info');
  return (
    <div className="meter">
      <div className="meter-text">
        <span>{label}</span>
        <span className="cell-muted">{`${format(value)} of ${format(max)}`}</span>
      </div>
      <div
        className="meter-track"
        role="meter"
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={0}
        aria-valuemax={max}
      >
        <div className={classes('meter-fill', `fill-${tone}`)} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
