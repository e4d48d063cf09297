/** Short names for what the API tells. */

import type { Ok, Wanted } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Problem = Omit<Schemas["Problem"], "type" | "detail" | "key"> & { detail?: string; key?: string };
export type PatchOp = Schemas["PatchOp"];

export type ChatSummary = Ok<"/v1/chats">[number];
export type FoundLine = Ok<"/v1/records">[number];
export type ChatView = Ok<"/v1/chats/{id}">;
export type Exchange = ChatView["history"][number];
export type ExchangeTake = Ok<"/v1/chats/{id}/takes">[number];
export type Called = Schemas["RecallSummary"];
export type Minded = Called["selected"][number];

export type InnerLife = Ok<"/v1/memory/{garden}/{who}/inner">;
export type Candidate = Ok<"/v1/memory/{garden}/{who}/search">[number];
export type Trace = Ok<"/v1/memory/{garden}/{who}/events/{seq}">;
export type Run = Ok<"/v1/memory/{garden}/{who}/runs">[number];
export type Stats = Ok<"/v1/memory/{garden}/{who}/stats">;
export type Compared = Ok<"/v1/memory/{garden}/{who}/compare", "post">;
export type Recall = Compared["one"];
export type Vad = InnerLife["felt"];

export type AutonomyStatus = Ok<"/v1/chats/{id}/autonomy">;
export type Considered = Ok<"/v1/chats/{id}/autonomy/why">[number];
export type Digest = Ok<"/v1/chats/{id}/autonomy/digest">;

export type GardenSummary = Ok<"/v1/gardens">[number];
export type GardenView = Ok<"/v1/gardens/{id}">;
export type Room = GardenView["rooms"][number];
export type Person = GardenView["people"][number];
export type Expression = Person["mood"]["expression"];
export type Thing = GardenView["things"][number];
export type Pace = GardenView["pace"];
export type ScriptPage = Ok<"/v1/gardens/{id}/script">;
export type Line = ScriptPage["lines"][number];
export type Highlight = Ok<"/v1/gardens/{id}/highlights">[number];
export type Doable = Ok<"/v1/gardens/{id}/acts">["acts"][number];
export type ActAnswer = Ok<"/v1/gardens/{id}/act", "post">;
export type BranchView = Ok<"/v1/gardens/{id}/branches">[number];
export type Comparison = Ok<"/v1/gardens/{id}/compare">;
export type GardenWhy = Ok<"/v1/gardens/{id}/why/{turn}"> & WhyInWords;
export type RelationView = Ok<"/v1/gardens/{id}/relations">[number];
export type MindView = Ok<"/v1/gardens/{id}/minds/{who}"> & Pick<WhyInWords, "chosen_because">;
/** What the engine's terms mean, in the reader's language. */
interface WhyInWords {
  changes_told?: readonly string[];
  read_told?: readonly string[];
  instead_told?: readonly string[];
  chosen?: string | null;
  chosen_because?: string | null;
}
export type Played = Ok<"/v1/gardens/{id}/turn", "post">;
export type ScenarioSummary = Ok<"/v1/scenarios">[number];
export type Sheet = Ok<"/v1/cards">[number];
export type Flaw = Ok<"/v1/scenarios/lint", "post">["flaws"][number];
export type ExperimentSummary = Ok<"/v1/lab">[number];
export type ExperimentView = Ok<"/v1/lab/{name}">;
export type NewExperiment = Wanted<"/v1/lab">;
export type Finding = ExperimentView["panels"][number];
export type ServersView = Ok<"/v1/servers">;
export type SettingView = Ok<"/v1/settings">[number];
