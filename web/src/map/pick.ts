/** Something on the map that somebody wants to know more about. */
export interface Pick {
  kind: "room" | "person" | "thing";
  name: string;
}
