"""What the system holds on its first day: small companies and their works, orders, and people."""

from collections.abc import Iterator
from typing import Any

Seed = tuple[str, str, dict[str, Any]]

# ref, establishment, version, state, label
DOSSIERS = """
D-42|A|7|active|Ateliers du Port, boiler replacement
D-43|A|12|closed|Menuiserie Le Goff, workshop extension
D-44|A|3|active|Boulangerie Kerdoncuff, oven flue inspection
D-45|A|5|active|Garage Tanguy, vehicle lift certification
D-46|A|2|active|Serrurerie Hamon, fire door supply
D-47|A|9|active|Pressing de la Gare, solvent storage upgrade
D-48|A|1|active|Imprimerie Salaün, press hall ventilation
D-49|A|4|closed|Café des Halles, terrace awning
D-50|A|6|active|Transports Riou, loading dock repair
D-51|A|3|active|Coopérative Bel Air, cold room insulation
D-52|A|8|active|Cabinet Morvan, lift modernisation
D-53|A|2|active|Pépinières Quéré, irrigation network
D-54|A|11|active|Clinique vétérinaire des Dunes, X-ray room shielding
D-55|A|1|active|Ardoises Le Bris, roof survey
D-56|A|4|active|Traiteur Gwenn, kitchen extraction
D-57|A|7|closed|Librairie du Quai, shopfront renewal
D-58|A|2|active|Chantier naval Person, slipway dredging
D-59|A|5|active|Électricité Cozic, switchboard replacement
D-60|A|3|active|École de voile Armor, pontoon anchoring
D-77|B|4|active|Fonderie Lambert, chimney lining
D-78|B|2|active|Tuilerie Marchand, kiln burner replacement
D-79|B|6|active|Scierie des Vosges, sawdust silo
D-80|B|1|active|Brasserie Klein, effluent pit
D-81|B|9|closed|Hôtel du Lac, sprinkler network
D-82|B|3|active|Mécanique Petitjean, crane inspection
D-83|B|5|active|Laiterie Humbert, ammonia plant check
D-84|B|2|active|Verrerie Colin, furnace brickwork
D-85|B|7|active|Papeterie Didier, boiler house asbestos removal
D-86|B|4|active|Carrosserie Noël, spray booth filters
D-87|B|1|active|Maraîchers Antoine, greenhouse heating
D-88|B|3|active|Textile Grosjean, dye house drainage
D-89|B|8|active|Cartonnage Thiébaut, baler safety guard
D-90|B|2|active|Menuiserie Perrin, dust extraction
D-91|B|6|active|Auberge du Col, heat pump installation
D-900|X|2|active|Atelier Rousseau, stair lift
D-901|X|5|active|Conserverie Blanc, autoclave renewal
D-902|X|1|active|Maison Faure, facade repair
D-903|X|3|closed|Domaine Giraud, cellar drainage
D-904|X|4|active|Taxi Mistral, charging points
D-905|X|7|active|Savonnerie Roux, steam line
A-4417|A|5|active|Résidence des Tilleuls, annual safety file
A-4418|A|2|active|Résidence du Parc, annual safety file
"""

# ref, establishment, version, state, total in minor units, currency, label
ORDERS = """
ORD-000123|A|3|paid|500000|EUR|Three circulation pumps, Ateliers du Port
ORD-000124|A|1|paid|128450|EUR|Fire doors, Serrurerie Hamon
ORD-000125|A|2|refunded|9900|EUR|Inspection fee, Café des Halles
ORD-000126|A|1|cancelled|45000|EUR|Awning fabric, Café des Halles
ORD-000127|A|4|paid|742000|EUR|Switchboard, Électricité Cozic
ORD-000128|A|1|paid|310000|USD|Press bearings, Imprimerie Salaün
ORD-000129|A|2|paid|86320|EUR|Filter cartridges, Traiteur Gwenn
ORD-000201|B|2|paid|264000|EUR|Burner assembly, Tuilerie Marchand
ORD-000202|B|1|paid|57800|EUR|Guard rails, Cartonnage Thiébaut
ORD-000203|B|3|paid|999000|EUR|Heat pump, Auberge du Col
ORD-000900|X|1|paid|120000|EUR|Stair lift rail, Atelier Rousseau
"""

# ref, establishment, version, state, label
USERS = """
U-2041|A|2|active|Maëlle Jaouen, site supervisor
U-2042|A|1|active|Yann Le Roux, apprentice
U-2043|A|5|active|Sabine Corre, purchasing
U-2044|A|3|archived|Paul Guéguen, retired foreman
U-2045|A|1|active|Inès Abgrall, accounts
U-2051|B|2|active|Luc Schmitt, maintenance
U-2052|B|4|active|Claire Vautrin, planning
U-2090|X|1|active|Nadia Roche, reception
"""


def seeds() -> Iterator[Seed]:
    """Every object of the first day as (collection, reference, document)."""
    for ref, establishment, version, state, label in _lines(DOSSIERS):
        yield "dossiers", ref, _document("dossier_ref", ref, label, state, version, establishment)
    for ref, establishment, version, state, total, currency, label in _lines(ORDERS):
        document = _document("order_ref", ref, label, state, version, establishment)
        yield "orders", ref, {**document, "total_minor": int(total), "currency": currency}
    for ref, establishment, version, state, label in _lines(USERS):
        yield "users", ref, _document("user_ref", ref, label, state, version, establishment)


def _lines(table: str) -> Iterator[list[str]]:
    return (line.split("|") for line in table.strip().splitlines())


def _document(ref_field: str, ref: str, label: str, state: str, version: str, establishment: str) -> dict[str, Any]:
    return {ref_field: ref, "label": label, "state": state, "version": int(version), "establishment": establishment}
