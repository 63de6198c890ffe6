/** How much of the table of families is exposed, the smallest first; each includes those before it. */
export const profiles = ['minimal', 'standard', 'full'] as const;
export type Profile = (typeof profiles)[number];

/** Whether a family of profile `family` is part of the profile `selected`. */
export function isInProfile(family: Profile, selected: Profile): boolean {
  return profiles.indexOf(family) <= profiles.indexOf(selected);
}

/** The exporter whose families are served too. */
export type Compatibility = 'none' | 'k8s-ephemeral-storage-metrics';
