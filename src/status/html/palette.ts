import { components } from '../../attribution/usage.js';

/** Colours by role. Texts have a contrast of at least 4.5 to what they stand on, parts of bars 3 to the panel. */
export interface Palette {
  readonly page: string;
  readonly panel: string;
  readonly line: string;
  readonly track: string;
  readonly ink: string;
  readonly muted: string;
  readonly link: string;
  readonly ok: string;
  readonly okBack: string;
  readonly warning: string;
  readonly warningBack: string;
  readonly critical: string;
  readonly criticalBack: string;
  /** Of bars. */
  readonly okBar: string;
  readonly warningBar: string;
  readonly criticalBar: string;
  readonly rootfs: string;
  readonly logs: string;
  readonly emptydir: string;
  readonly configmap: string;
  readonly gitrepo: string;
  readonly other: string;
}

export const lightPalette: Palette = {
  page: '#f3f5f8',
  panel: '#ffffff',
  line: '#d8dee6',
  track: '#e6eaf0',
  ink: '#18212c',
  muted: '#535f6d',
  link: '#0b5cad',
  ok: '#17692f',
  okBack: '#e5f4e9',
  warning: '#7d4e00',
  warningBack: '#fdf1d8',
  critical: '#a81b12',
  criticalBack: '#fdeae8',
  okBar: '#2e9150',
  warningBar: '#cf8200',
  criticalBar: '#d5382d',
  rootfs: '#2f6fc4',
  logs: '#c26a00',
  emptydir: '#0f8a7e',
  configmap: '#8052b8',
  gitrepo: '#bd3f7c',
  other: '#768390',
};

export const darkPalette: Palette = {
  page: '#0e1318',
  panel: '#171d25',
  line: '#2c3541',
  track: '#2a323d',
  ink: '#e7ebf0',
  muted: '#a5b0bd',
  link: '#82bcff',
  ok: '#6ad08b',
  okBack: '#12301d',
  warning: '#f0bd5a',
  warningBack: '#372a0d',
  critical: '#ff9389',
  criticalBack: '#431a18',
  okBar: '#46b06a',
  warningBar: '#e0a52e',
  criticalBar: '#f2685c',
  rootfs: '#5b9bea',
  logs: '#e39a3b',
  emptydir: '#36b8a9',
  configmap: '#b28ae0',
  gitrepo: '#e878ac',
  other: '#8d99a6',
};

/** Which text colour stands on which background. */
export const textPairs: readonly (readonly [text: keyof Palette, background: keyof Palette])[] = [
  ...(['ink', 'muted', 'link'] as const).flatMap((text) =>
    (['page', 'panel'] as const).map((background) => [text, background] as const),
  ),
  ...(['ok', 'warning', 'critical'] as const).flatMap((state) => [
    [state, 'panel'] as const,
    [state, `${state}Back`] as const,
    ['ink', `${state}Back`] as const,
  ]),
];

/** Which colours of bars, marks and the focus ring stand on which background. */
export const graphicPairs: typeof textPairs = [
  ...([...components, 'ink', 'okBar', 'warningBar', 'criticalBar'] as const).map((part) => [part, 'panel'] as const),
  ['link', 'page'],
  ['link', 'panel'],
];
